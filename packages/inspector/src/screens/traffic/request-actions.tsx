import { type ControlClient, dataAs, dataOf, type Schema } from "@call-transfer/backend/control-client";
import { type ApiRequest, curlOf, sdkCodeOf } from "../../data/code/request-code.ts";
import { orNotice } from "../../data/session/act.ts";
import { addressOf } from "../../data/session/address.ts";
import { useSession } from "../../data/session/context.ts";
import type { Session } from "../../data/session/session.ts";
import { Button, CopyButton } from "../../parts/button.tsx";

type Detail = Schema<"RequestDetail">;

/** A phone number as the request log shows it, such as `+1415*****67`. */
const maskedNumber = /\+\d+\*{5}\d/;

/** What can be done with a request. */
export function RequestActions({
  detail,
  isRevealed,
  toggle,
}: {
  readonly detail: Detail;
  readonly isRevealed: boolean;
  readonly toggle: () => void;
}) {
  const session = useSession();
  const isKept = detail.headers !== undefined;
  const copied = (codeOf: (request: ApiRequest) => string | undefined) => () => {
    const code = codeOf(requestOf(session, detail)) ?? "";
    // With masked numbers it would send another request.
    if (maskedNumber.test(code))
      session.notify("info", "The copy has masked phone numbers. Press “Show the secrets” to copy them whole.");
    return code;
  };
  return (
    <div class="actions" role="group" aria-label="Actions">
      {isKept && <CopyButton text={copied(curlOf)}>Copy as curl</CopyButton>}
      {isKept && detail.operationId !== undefined && <CopyButton text={copied(sdkCodeOf)}>Copy as SDK code</CopyButton>}
      <Button onPress={() => sendAgain(session, detail.id)}>Send again</Button>
      {isKept && detail.decidedBy.step === "route" && (
        <Button onPress={() => addStub(session, detail.id)}>Answer with a stub</Button>
      )}
      {isKept && <Button onPress={toggle}>{isRevealed ? "Hide the secrets" : "Show the secrets"}</Button>}
    </div>
  );
}

function requestOf(session: Session, { method, path, query = {}, headers = {}, requestBody, operationId }: Detail) {
  const search = new URLSearchParams(query).toString();
  // The header chooses the sandbox as well; a request with both is refused.
  const address = headers["x-sandbox"] === undefined ? addressOf(session, path) : session.source.address + path;
  const url = address + (search === "" ? "" : `?${search}`);
  return { method, url, headers, body: requestBody, operationId } satisfies ApiRequest;
}

const sendAgain = (session: Session, id: number) =>
  orNotice(session, async () => {
    const result = await session.control.value.POST("/_control/v1/requests/{id}/replay", {
      params: { path: { id: String(id) } },
    });
    session.go("traffic", String(dataAs<"RequestDetail">(result).id));
  });

/** Adds a stub for the method and path of a request that no operation matches, and shows it. */
const addStub = (session: Session, id: number) =>
  orNotice(session, async () => {
    const { method, path } = await inClear(session.control.value, id);
    // The control plane refuses any other method.
    const body = { method: method as Schema<"Stub">["method"], path, response: { body: {} } };
    const added = dataOf(await session.control.value.POST("/_control/v1/stubs", { body }));
    session.notify("ok", `${added.id} answers such requests with {}. To change it, remove it and add another.`);
    session.go("faults", "stubs");
  });

async function inClear(control: ControlClient, id: number): Promise<Detail> {
  const params = { path: { id: String(id) }, query: { redact: false } };
  return dataAs<"RequestDetail">(await control.GET("/_control/v1/requests/{id}", { params }));
}
