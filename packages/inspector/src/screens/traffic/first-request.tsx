import { operations } from "@call-transfer/spec";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type ApiRequest, curlOf, sdkCodeOf } from "../../data/code/request-code.ts";
import { readSampleCall, type SampleCall } from "../../data/records/sample-call.ts";
import { orNotice } from "../../data/session/act.ts";
import { addressOf } from "../../data/session/address.ts";
import { useSession } from "../../data/session/context.ts";
import type { Session } from "../../data/session/session.ts";
import { Button, CopyButton } from "../../parts/button.tsx";
import { Empty } from "../../parts/screen.tsx";

/** Says how to send the first request: from a shell, from a program, or from here. */
export function FirstRequest() {
  const session = useSession();
  const key = useSignal<string | undefined>(undefined);
  const call = useSampleCall(session);
  if (call === "reading") return null;
  // A seed without flows or numbers can place no call.
  const { id, method, path } = call === undefined ? operations.listCalls : operations.createCall;
  const content = call && { "content-type": "application/json" };
  const request: ApiRequest = {
    method,
    url: addressOf(session, path),
    headers: { authorization: `Bearer ${key.value ?? "[redacted]"}`, ...content },
    body: call,
    operationId: id,
  };
  const issue = () =>
    orNotice(session, async () => {
      const headers = await session.credentials.headers("key");
      key.value = headers.Authorization?.replace("Bearer ", "");
    });
  const send = () =>
    orNotice(session, () => {
      const init = call && { headers: { ...content }, body: JSON.stringify(call) };
      return session.credentials.send("key", new Request(session.source.baseUrl + path, { method, ...init }));
    });
  return (
    <Empty
      title="No request yet"
      action={
        <>
          {key.value === undefined && <Button onPress={issue}>Issue an API key</Button>}
          <CopyButton text={() => sdkCodeOf(request) ?? ""}>Copy as SDK code</CopyButton>
          <Button rank="primary" onPress={send}>
            {call === undefined ? "List the calls" : "Place a call"}
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

/** A call that the sandbox can place, or undefined if it has none or cannot be read. */
function useSampleCall(session: Session): SampleCall | undefined | "reading" {
  const sample = useSignal<SampleCall | undefined | "reading">("reading");
  const control = session.control.value;
  useEffect(() => {
    let isCurrent = true;
    const show = (call: SampleCall | undefined) => {
      if (isCurrent) sample.value = call;
    };
    readSampleCall(control).then(show, () => show(undefined));
    return () => {
      isCurrent = false;
    };
  }, [control]);
  return sample.value;
}
