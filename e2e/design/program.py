"""The program under test, as a command and as a server of a test's own."""

import os
import subprocess
from contextlib import contextmanager


def run(*words, code):
    command = [os.environ["DYNO_BIN"], *[str(word) for word in words]]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == code, f"{command} ends with {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def dyno(*words, code=0):
    """What a command prints."""
    return run(*words, code=code).stdout


def refused(*words, code):
    """What a command says that does not go well."""
    return run(*words, code=code).stderr


@contextmanager
def serve(*words):
    """A server in memory, by its address."""
    command = [os.environ["DYNO_BIN"], "serve", "--in-memory", "--port", "0", *[str(word) for word in words]]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield next(word for word in server.stdout.readline().split() if word.startswith("http://"))
    finally:
        server.terminate()
        server.wait(timeout=30)
