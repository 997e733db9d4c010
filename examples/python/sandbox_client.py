from call_transfer import CallTransfer

test_id, api_key = "my-test", "svc_live_demo0000000000000000000000000001"
base_url = f"http://127.0.0.1:4010/_sandbox/{test_id}"
client = CallTransfer(base_url=base_url, api_key=api_key)
