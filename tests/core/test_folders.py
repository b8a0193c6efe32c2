"""Where things lie: beside the repository's files, in the package, in the user's cache."""

import os
import tempfile

import pytest

from bnpexplorer.cli import app
from bnpexplorer.core import installation


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """A user's cache of the test's own."""
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda *_, **__: str(tmp_path / "cache"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path / "cache"


def test_the_repository_is_its_own_folder_of_the_app():
    assert installation.app_folder() == installation.TOP
    assert (installation.TOP / "app.py").exists()


def test_what_can_be_made_anew_lies_in_the_cache_and_elsewhere_if_that_is_read_only(cache):
    assert installation.cache_folder("a") == cache / "a"
    cache.rename(cache.with_name("moved"))
    cache.touch()  # where a folder should be
    folder = installation.cache_folder("b")
    assert folder.is_dir()
    assert cache not in folder.parents


@pytest.mark.parametrize("problem", [KeyError("uid"), OSError("no name"), ImportError("pwd")])
def test_an_account_without_a_name_has_a_folder_too(cache, monkeypatch, problem):
    """As in a container that is given any number; Python says it in three ways."""

    def unknown():
        raise problem

    monkeypatch.setattr(installation.getpass, "getuser", unknown)
    cache.touch()
    folder = installation.cache_folder("a")
    assert folder.is_dir()
    assert folder.parent.name == f"bnpexplorer-{os.getuid() if hasattr(os, 'getuid') else 'nobody'}"


def test_an_installed_app_starts_from_a_copy_for_each_version(cache, monkeypatch):
    monkeypatch.setattr(installation, "CARRIED", installation.TOP)
    for version in ("1", "2"):
        monkeypatch.setattr(installation, "version", lambda version=version: version)
        script = app._script()
        assert script == cache / f"app-{version}" / "app.py"
        (script.parent / ".streamlit" / "config.toml").write_text("[server]\n")
        app._script()  # the settings are made good
        for name in app.CARRIED_ALONG:
            assert (script.parent / name).read_bytes() == (installation.TOP / name).read_bytes()
    assert len(list(cache.iterdir())) == 2
