from call_transfer import CONTRACT_VERSION, VERSION

print(f"call-transfer {VERSION} serves the contract {CONTRACT_VERSION}")
