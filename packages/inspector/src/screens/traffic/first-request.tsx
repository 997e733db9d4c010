import { operations } from "@call-transfer/spec";
import { useSignal } from "@preact/signals";
import { type ApiRequest, curlOf, sdkCodeOf } from "../../data/code/request-code.ts";
import { orNotice } from "../../data/session/act.ts";
import { addressOf } from "../../data/session/address.ts";
import { useSession } from "../../data/session/context.ts";
import { Button, CopyButton } from "../../parts/button.tsx";
import { Empty } from "../../parts/screen.tsx";

const { listCalls } = operations;

/** Says how to send the first request: from a shell, from a program, or from here. */
export function FirstRequest() {
  const session = useSession();
  const key = useSignal<string | undefined>(undefined);
  const request: ApiRequest = {
    method: listCalls.method,
    url: addressOf(session, listCalls.path),
    headers: { authorization: `Bearer ${key.value ?? "[redacted]"}` },
    operationId: listCalls.id,
  };
  const issue = () =>
    orNotice(session, async () => {
      const headers = await session.credentials.headers("key");
      key.value = headers.Authorization?.replace("Bearer ", "");
    });
  const send = () =>
    orNotice(session, () => session.credentials.send("key", new Request(session.source.baseUrl + listCalls.path)));
  return (
    <Empty
      title="No request yet"
      action={
        <>
          {key.value === undefined && <Button onPress={issue}>Issue an API key</Button>}
          <CopyButton text={() => sdkCodeOf(request) ?? ""}>Copy as SDK code</CopyButton>
          <Button rank="primary" onPress={send}>
            Send a request
          </Button>
        </>
      }
      command={curlOf(request)}
    >
      <p>
        Each request to the API and each webhook appears here as it happens.
        {key.value === undefined && " The command reads its API key from CALL_TRANSFER_API_KEY."}
      </p>
    </Empty>
  );
}
