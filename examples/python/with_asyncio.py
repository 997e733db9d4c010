# Places two calls at the same time.
import asyncio

from call_transfer.testing import demo, open_sandbox


async def main() -> None:
    with open_sandbox() as sandbox:
        async with sandbox.async_client() as client:
            placements = [
                client.calls.create(
                    flow_id=demo.flows.published,
                    from_number=demo.numbers.working,
                    to_number=demo.recipients.anyone,
                )
                for _ in range(2)
            ]
            placed = await asyncio.gather(*placements)
            print([one.type for one in placed])
            calls = [call.duration async for call in client.calls.list()]
            print(f"{len(calls)} calls")


asyncio.run(main())
