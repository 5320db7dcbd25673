# SPDX-License-Identifier: GPL-2.0-or-later
"""The build with AddressSanitizer and UndefinedBehaviorSanitizer: BUILD/asan, made once and kept."""
import os
import subprocess

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))


def setup(build):
    """Returns the directory of the build. -g1: a report needs only the lines and the functions of a stack."""
    asan = os.path.join(os.path.abspath(build), "asan")
    if not os.path.exists(os.path.join(asan, "build.ninja")):
        subprocess.run(["meson", "setup", asan, SOURCE, "-Doptimization=1", "-Db_sanitize=address,undefined",
                        "-Db_lundef=false", "-Dc_args=-fno-sanitize-recover=undefined -g1"], stdout=subprocess.DEVNULL, check=True)
    return asan
