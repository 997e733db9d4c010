from call_transfer import VERSION, CallTransfer

agent = f"front-desk/2.1 call-transfer-python/{VERSION}"
client = CallTransfer(headers={"user-agent": agent})
