"""A cluster of Slurm with one node, this machine: munged, slurmctld and slurmd in a folder."""
import contextlib
import ctypes
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "sinfo", "scontrol")
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


def missing_programs():
    """Returns the programs of Slurm that are not installed here."""
    return [name for name in PROGRAMS if shutil.which(name, path=PATH) is None]


def _free_ports(num):
    with contextlib.ExitStack() as stack:
        found = [stack.enter_context(socket.socket()) for _ in range(num)]
        for one in found:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in found]


def _configuration(folder, processors):
    name, ports = socket.gethostname().split(".")[0], _free_ports(2)
    return f"""ClusterName=test
SlurmctldHost={name}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser={_user()}
SlurmdUser={_user()}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
NodeName={name} NodeAddr=127.0.0.1 CPUs={processors} State=UNKNOWN
PartitionName=test Nodes={name} Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:2
"""


def _user():
    import pwd
    return pwd.getpwuid(os.getuid()).pw_name


def _end_with_this_process():
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG: also where a test is killed


def _wait(what, check, programs):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if check():
            return
        dead = [one.args[0] for one in programs if one.poll() is not None]
        if dead:
            raise RuntimeError(f"{what}: {dead[0]} ended")
        time.sleep(0.1)
    raise RuntimeError(f"{what}: not ready in 60 s")


@contextlib.contextmanager
def slurm_cluster(processors=2):
    """Yields the environment of Slurm's programs for a new cluster, which ends with the block."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="amontons-slurm-test-"))
    programs = []
    try:
        folder.chmod(0o755)
        for name in ("state", "spool"):
            (folder / name).mkdir()
        key = folder / "munge.key"
        key.write_bytes(os.urandom(64))
        key.chmod(0o400)
        configuration = folder / "slurm.conf"
        configuration.write_text(_configuration(folder, processors))
        environment = os.environ | {"PATH": PATH, "SLURM_CONF": str(configuration)}

        def start(name, *words):
            with open(folder / f"{name}.out", "wb") as log:
                programs.append(subprocess.Popen(
                    [shutil.which(name, path=PATH), *words], env=environment, stdout=log,
                    stderr=log, stdin=subprocess.DEVNULL, start_new_session=True,
                    preexec_fn=_end_with_this_process))

        start("munged", "--foreground", "--force", f"--key-file={key}",
              f"--socket={folder}/munge.socket", f"--pid-file={folder}/munged.pid",
              f"--log-file={folder}/munged.log", f"--seed-file={folder}/munge.seed")
        _wait("munged", (folder / "munge.socket").exists, programs)
        start("slurmctld", "-D", "-f", str(configuration))
        start("slurmd", "-D", "-f", str(configuration))

        def is_idle():
            said = subprocess.run(["sinfo", "-h", "-o", "%T"], env=environment,
                                  capture_output=True, text=True, check=False)
            return said.stdout.strip() == "idle"

        _wait("Slurm's node", is_idle, programs)
        yield environment
    finally:
        for program in reversed(programs):
            program.send_signal(signal.SIGTERM)
        for program in reversed(programs):
            try:
                program.wait(timeout=20)
            except subprocess.TimeoutExpired:
                program.kill()
                program.wait()
        shutil.rmtree(folder, ignore_errors=True)
