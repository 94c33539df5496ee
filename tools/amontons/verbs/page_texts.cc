#include "tools/amontons/verbs/page_texts.h"

namespace amontons::cli {

const char* const kSceneFormatBefore = R"(# Scene files

<!-- Made by `amontons manual scene`; edit the tables in amontons/io/scene/scene_format_*.cc. -->

YAML; SI; paths relative to the scene file. An unknown, duplicate or missing key, a value of the wrong kind, a number that is not finite or beyond 1e100, or an unknown name
is an error with file, line, column and remedy.

```yaml
# file: scene.yaml
amontons: 1
gravity: [0, 0, -9.81]
simulation: {step: 0.001, duration: 2.0}
materials:
  - {name: rubber, friction: 0.9, restitution: 0.1}
  - {pair: [rubber, default], friction: 0.8}
bodies:
  - name: box
    shapes: [{box: [0.2, 0.2, 0.1], material: rubber}]
    mass: 1.0
    pose: {position: [0, 0, 0.2], rpy_deg: [0, 30, 0]}
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
```

`amontons init` writes a commented scene to begin with. Any value can be changed on the command line:

```sh
amontons run scene.yaml -o box.h5 --set simulation.step=0.01 --set bodies.box.mass=2
```

Each table below is the one that the reader itself goes by. Where a default is empty, the meaning or the line above the table says what holds.
)";

const char* const kSceneFormatAfter = R"(
## CSV files

The first column is the time in seconds, which must increase; separators are commas, semicolons or blanks, `#` begins a comment. A first line `time, NAME, ...` names the
columns. Before the first instant and after the last the values stay as they are there; what shall begin or end at rest has two equal values there.
)";

const char* const kRunFormatBefore = R"(# Run files

<!-- Made by `amontons manual run`; edit the tables in amontons/io/run/run_format.cc. -->

HDF5, readable with h5py or MATLAB, also while it is written (SWMR) and after a kill (at most the last second is lost). Row 0 is the initial
state; row l > 0 holds the step that ends at `time[l]`. The last row is the final state.

T rows, nq positions, nv velocities, nB bodies, nJ joints, nr rows of J; C, B and K are the rows of all contacts, bounded rows and commands together. `/.name` is an attribute
of the file. Codes are also in the attribute `names` of their dataset.
)";

const char* const kRunFormatAfter = R"(
## Beside the run

`RUN.checkpoint` is written aside, then renamed: the line `AMONTONS-CHECKPOINT-2`, the SHA-256 of the rest in hexadecimal, then little-endian q and v (a count of 8 bytes each, then numbers), time (8), step count (8), warm start
(a count, then 36 bytes each: shape A, shape B, feature, three components), two counters of events (4 each), rows and intervals logged (8 each), and the digest of the inputs (a
count, then text). A step that missed its certificate leaves `RUN.failure-STEP.h5`, its [contact problem](problem-format.md). A run appears under its name once its header is
whole; until then it is `RUN.h5.tmp`.

`amontons resume RUN.h5` takes the rows that belong to the checkpoint into a log that replaces the old one, and goes on; what was logged after the checkpoint (at most a
second) is simulated again, to the same bits. Where the last step has no row of its own under `output.every` the checkpoint is the state before it, until the run is closed with that row as its last. It reads the inputs that the run recorded and refuses where the files on the disk say something else by now
(`--recorded-inputs` goes on all the same), where a program commanded the run or set its state, and where the checkpoint is of another run. `amontons compare A.h5 B.h5` compares everything but wall
times; with `--tolerance` neither what solvers say of themselves nor contacts without load count.

`amontons verify` takes commands and set states as recorded, tells how many steps have them, and rebuilds everything else.
)";

const char* const kProblemFormatBefore = R"(# Contact problem files

<!-- Made by `amontons manual problem`; edit the tables in amontons/io/problem/contact_problem_format.cc. -->

HDF5; what a step that missed its certificate leaves beside its run, and what `amontons solve` reads. `/fclib_global` and `/solution` hold the problem in the Global layout of FCLIB,
readable by Siconos: M v = H r + f + G l, u = H'v + w, G'v + b = 0, with f = M v_free, H = J_C' with the contact rows in the order n, t1, t2, G = J', and in w the stabilized gap. Bounded rows of
joints, viscous friction and restitution by Poisson's law have no place there.

`/amontons` holds everything needed to read the same problem back, bit for bit; names are below it, `.name` is an attribute.
)";

const char* const kProblemFormatAfter = R"(
## Other files that `amontons solve` reads

| dataset | meaning |
|---|---|
| `/fclib_local`, `/fclib_global` | a problem of FCLIB, in space or in the plane |
| `/lcp/M`, `/lcp/q` | [n, n] and [n]: 0 <= z perp M z + q >= 0 |
| `/qp/H`, `/qp/g`, `/qp/lower`, `/qp/upper` | [n, n] and [n]: min x'H x / 2 + g'x in the box; bounds may be infinite |
)";

}  // namespace amontons::cli
