#!/usr/bin/python3
"""Checks the help of the program: its options, manual page and shell completion.
usage: help_test.py PROGRAM"""
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from program import amontons


def verbs():
    text = amontons("--help", check=0).stdout
    return re.findall(r"^  ([a-z]+) {2,}\S", text.split("Subcommands:")[1], re.MULTILINE)


def long_options(verb):
    return set(re.findall(r"(--[a-z-]+)", amontons(verb, "--help", check=0).stdout))


class HelpTest(unittest.TestCase):
    def test_every_verb_explains_itself(self):
        self.assertGreaterEqual(len(verbs()), 13)
        for verb in verbs():
            self.assertIn("--help", amontons(verb, "--help", check=0).stdout, verb)

    def test_the_manual_page_names_every_verb_and_option(self):
        page = amontons("manual", check=0).stdout.replace("\\-", "-")
        for verb in verbs():
            section = re.search(rf"^\.SS {verb}$(.*?)(^\.S|\Z)", page, re.MULTILINE | re.DOTALL)
            self.assertIsNotNone(section, verb)
            described = long_options(verb)
            for option in described:
                self.assertIn(option, page)
            self.assertIn("--help", section.group(1), verb)
        self.assertIn(".SH EXIT STATUS", page)

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_the_manual_page_is_sound_roff(self):
        page = amontons("manual", check=0).stdout
        result = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=page, text=True,
                                capture_output=True, check=True)
        self.assertEqual(result.stderr, "")

    def complete(self, *words):
        """Returns the words that bash offers for the last word."""
        with tempfile.NamedTemporaryFile("w", suffix=".bash") as script:
            script.write(amontons("completion", "bash", check=0).stdout)
            script.flush()
            command = (f'source {script.name}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
                       '_amontons; printf "%s\\n" "${COMPREPLY[@]}"')
            result = subprocess.run(["bash", "-c", command, "bash", *words], text=True,
                                    capture_output=True, check=True)
        return result.stdout.split()

    def test_bash_completes_verbs_options_and_files(self):
        self.assertEqual(self.complete("amontons", "ver"), ["verify"])
        self.assertEqual(set(self.complete("amontons", "")), set(verbs()) | {"--help", "--version"})
        self.assertEqual(self.complete("amontons", "run", "--strict-s"), ["--strict-steps"])
        self.assertEqual(set(self.complete("amontons", "run", "--")), long_options("run"))
        self.assertIn("/usr", self.complete("amontons", "run", "/us"))

    def test_scripts_for_zsh_and_fish_name_every_verb(self):
        for shell in ("zsh", "fish"):
            script = amontons("completion", shell, check=0).stdout
            for verb in verbs():
                self.assertIn(verb, script)
            if shutil.which(shell):
                subprocess.run([shell, "-n"], input=script, text=True, check=True)
        self.assertIn("bash, zsh or fish", amontons("completion", "tcsh", check=2).stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
