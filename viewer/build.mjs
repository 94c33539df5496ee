// Bundles the viewer into one HTML file without outside references:
//   node build.mjs [output.html]
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const here = (path) => new URL(path, import.meta.url).pathname;
const output = process.argv[2] ?? here('../amontons/io/assets/replay.html');

const bundle = async (entry) => {
  const result = await build({
    entryPoints: [here(entry)], bundle: true, minify: true, write: false, format: 'iife',
    target: ['chrome103', 'firefox113', 'safari16.4'], charset: 'utf8', legalComments: 'none',
    absWorkingDir: here('.'), logLevel: 'warning',
  });
  return result.outputFiles[0].text.trim();
};
const licence = (name) => {
  const { version } = JSON.parse(readFileSync(here(`node_modules/${name}/package.json`), 'utf8'));
  const text = readFileSync(here(`node_modules/${name}/LICENSE`), 'utf8').trim();
  return `<!--\nThis page contains ${name} ${version}, used under the following licence.\n\n${text}\n-->`;
};

const script = await bundle('src/main.ts');
const style = (await bundle('src/style.css')) +
  readFileSync(here('node_modules/uplot/dist/uPlot.min.css'), 'utf8').trim();
for (const [name, text] of [['script', script], ['style', style]]) {
  const found = text.match(/<!--|<\/script|<\/style/i);
  if (found) throw new Error(`the bundled ${name} contains ${found[0]}, which would end its element`);
}
// The page runs this script and takes this style alone: its policy names their hashes.
const hash = (text) => `sha256-${createHash('sha256').update(text).digest('base64')}`;
const parts = {
  'AMONTONS-SCRIPT-HASH': hash(script),
  'AMONTONS-STYLE-HASH': hash(style),
  '<!--AMONTONS-LICENCES-->': ['three', 'uplot'].map(licence).join('\n'),
  '/*AMONTONS-STYLE*/': style,
  '/*AMONTONS-SCRIPT*/': script,
};
let page = readFileSync(here('src/index.html'), 'utf8');
for (const [marker, text] of Object.entries(parts)) {
  if (page.split(marker).length !== 2) throw new Error(`the page needs ${marker} exactly once`);
  page = page.replace(marker, () => text);
}
if (page.split('<!--AMONTONS-DATA-->').length !== 2) throw new Error('no single place for the data');
writeFileSync(output, page);
