import { operations } from "@call-transfer/spec";
import { useSignal } from "@preact/signals";
import { type ApiRequest, curlOf, sdkCodeOf } from "../../data/code/request-code.ts";
import { orNotice } from "../../data/session/act.ts";
import { addressOf } from "../../data/session/address.ts";
import { useSession } from "../../data/session/context.ts";
import { Button, CopyButton } from "../../parts/button.tsx";
import { Json } from "../../parts/data.tsx";
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
    <Empty title="No request yet">
      <p>
        Requests to the API and webhooks appear here as they happen. Send one from here, or from a shell
        {key.value === undefined && " with an API key in CALL_TRANSFER_API_KEY"}:
      </p>
      <Json value={curlOf(request)} label="Command" />
      <p class="empty-tools">
        <CopyButton text={() => curlOf(request)}>Copy as curl</CopyButton>
        <CopyButton text={() => sdkCodeOf(request) ?? ""}>Copy as SDK code</CopyButton>
        {key.value === undefined && <Button onPress={issue}>Issue an API key</Button>}
        <Button kind="primary" onPress={send}>
          Send it from here
        </Button>
      </p>
    </Empty>
  );
}
