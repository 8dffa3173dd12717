"""For those who build on the core: values to test with, and the suites that an adapter of your own has to pass.

Install pytest, then inherit a suite and give it your adapter; each inherited test is a sentence about the port:

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

`builders` needs no pytest; nothing here is imported by the front door.
"""
