"""Test support for embedders: values for tests, and the suites that an adapter must pass.

Install pytest, then inherit a suite and supply your adapter; each inherited test is a sentence about the port:

    # test_my_storage.py
    import pytest
    from reviewinvite_core.testing.storage_contract import StorageContract

    class TestMyStorage(StorageContract):
        @pytest.fixture
        def storage(self):
            storage = MyStorage(...)  # new and empty for each test
            yield storage
            storage.close()

A mailer's suite is `reviewinvite_core.testing.mailer_contract.MailerContract`. For pytest's explanations of failed
assertions, put `pytest.register_assert_rewrite("reviewinvite_core.testing")` in your `conftest.py`.

`builders` does not need pytest. Importing `reviewinvite_core` imports nothing of this package.
"""
