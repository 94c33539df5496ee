"""Certified rigid-multibody simulation with contact and friction.

    import amontons as am
    sim = am.Simulator(am.load_scene("scene.yaml"))
    while not sim.finished:
        report = sim.step()
    print(sim.q, report.certificate.holds)

Units are SI, z is up; impulses act on body B, in the contact frame (t1, t2, n). Errors carry the
messages of the command line.
"""
from . import notebook, plots
from ._core import (Bodies, Body, BoxQuadraticProgram, Camera, Certificate,
                    ContactComplementarityProblem, ContactProblem, ContactSolution, Distance,
                    DivergenceError, EnergyLedger, Frame, Frames, Joint, Joints,
                    LinearComplementarityProblem, LocalProblem, LocalSolution,
                    MixedComplementarityProblem, Model, OutputError, ParseError, Profile, RayHit,
                    Recorder, Scene, Sensors, Simulator, SolveAttempt, State, StepEvents,
                    StepReport, SupportedEfforts, __version__, UnknownNameError,
                    box_qp_method_names, build, certify, lcp_method_names, load_problem,
                    method_names, model_names, record, register_model)
from .campaign import Range, campaign
from .efforts import NeededEfforts, needed_efforts
from .env import Box, Env
from .film import Film, picture
from .fit import fit
from .fit_models import ModelComparison, fit_models
from .fit_result import Fit
from .grasp import Grasp, Hold
from .jams import Jam, find_jams
from .motion import Motion
from .rollout import rollout
from .run import Run, open_run
from .scene import load_scene, make_scene, parse_scene
from .vector_env import VectorEnv
from .view import View, view

__all__ = [
    "Bodies", "Body", "Box", "BoxQuadraticProgram", "Camera", "Certificate",
    "ContactComplementarityProblem", "ContactProblem", "ContactSolution", "Distance",
    "DivergenceError", "EnergyLedger", "Env", "Film", "Fit", "Frame", "Frames", "Grasp", "Hold",
    "Jam", "Joint", "Joints", "LinearComplementarityProblem", "LocalProblem", "LocalSolution",
    "MixedComplementarityProblem", "Model", "ModelComparison", "Motion", "NeededEfforts",
    "OutputError", "ParseError", "Profile", "Range", "RayHit", "Recorder", "Run", "Scene",
    "Sensors", "Simulator", "SolveAttempt", "State", "StepEvents", "StepReport", "SupportedEfforts",
    "UnknownNameError", "VectorEnv", "View", "__version__", "box_qp_method_names", "build",
    "campaign", "certify", "find_jams", "fit", "fit_models", "lcp_method_names", "load_problem",
    "load_scene", "make_scene", "method_names", "model_names", "needed_efforts", "open_run",
    "parse_scene", "picture", "plots", "record", "register_model", "rollout", "view",
]

Simulator._repr_html_ = notebook.simulator_html

# Errors and types name the package that users import, not its compiled part.
for _name in __all__:
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = __name__
del _name
