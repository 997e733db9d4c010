# A queue delivers jobs more than once. Each call is dialled at most once.
from typing import Literal

from call_transfer import CallTransferError
from call_transfer.testing import demo, open_sandbox

sandbox = open_sandbox()
client = sandbox.client(total_timeout=20)
calls_before = len(sandbox.records("calls"))

# What is known of each job. Yours is a table with the job's id as its key:
# insert first, and read the row if it exists.
jobs: dict[str, Literal["started", "done"]] = {}


def handle(job: str, to_number: str) -> str:
    """Handles a delivery of a job.

    If it raises, the queue delivers the job again.
    """
    known = jobs.get(job)
    if known == "done":
        return "was placed before"
    if known == "started":
        return "may have been placed before: a person looks"
    # Before dialling: if this process stops now, the next delivery finds the
    # job started.
    jobs[job] = "started"
    try:
        placed = client.calls.create(
            flow_id=demo.flows.published,
            from_number=demo.numbers.working,
            to_number=to_number,
        )
    except CallTransferError as error:
        if error.outcome not in ("not_sent", "rejected"):
            return "may have been placed: a person looks"
        # No call was placed, so the next delivery may try again. Any other
        # exception, such as that of a time limit, proves nothing.
        del jobs[job]
        raise
    jobs[job] = "done"
    return placed.type


def deliver(job: str) -> None:
    try:
        print(f"{job}: {handle(job, demo.recipients.anyone)}")
    except CallTransferError as error:
        reason = getattr(error, "retry_skipped_reason", error)
        print(f"{job}: later: {reason}")


deliver("job 1")
deliver("job 1")
sandbox.add_fault({"do": {"rateLimit": {"retryAfterSecs": 120}}})
deliver("job 2")
deliver("job 2")
sandbox.add_fault({"do": "process_then_reset"})
deliver("job 3")
deliver("job 3")
print(f"{len(sandbox.records('calls')) - calls_before} calls for 3 jobs")
sandbox.close()
