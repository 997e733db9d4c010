from call_transfer import CallTransfer

client = CallTransfer(retry={"trust_503_codes": True})
