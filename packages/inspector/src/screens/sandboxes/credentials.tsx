import { dataAs, type Schema } from "@call-transfer/backend/control-client";
import { useSignal } from "@preact/signals";
import { useSession } from "../../data/session/context.ts";
import { useLive } from "../../data/session/live.ts";
import type { Session } from "../../data/session/session.ts";
import { SelectField } from "../../parts/field.tsx";
import { Empty, LoadError, Panel } from "../../parts/screen.tsx";
import { type Issued, IssuedCredential } from "./issued-credential.tsx";

/** What a token of each role is good for. */
const roles: readonly (readonly [role: Schema<"Role">, purpose: string])[] = [
  ["owner", "May do everything in the account: rotate secrets, create groups, remove the hours of each member."],
  ["admin", "May do what an owner may, in every operation of this API."],
  ["member", "Reads, and removes its own hours. Rotating a secret, creating a group and other members' hours get 403."],
  ["agent", "May do what a member may, in every operation of this API."],
];

type KeyState = NonNullable<Schema<"NewApiKey">["state"]>;

/** What a key of each state is good for. */
const keyStates: readonly (readonly [state: KeyState, purpose: string])[] = [
  ["valid", "Every scope, no expiry: for your server's program."],
  ["expired", "Each request gets 401 api_key_expired: does your program stop, and say so?"],
  ["revoked", "Each request gets 401 api_key_revoked, as after a leak."],
  ["ip_restricted", "Allowed only from an address that is not yours, so each request gets 403 api_key_ip_restricted."],
  ["insufficient_scope", "Has no scopes, so each request gets 403 api_key_insufficient_scope."],
];

const lifetimes: readonly (readonly [value: string, text: string])[] = [
  ["", "As the policy says"],
  ["60", "1 minute"],
  ["3600", "1 hour"],
  ["86400", "24 hours"],
  ["604800", "7 days"],
  ["expired", "Expired already"],
];

/** Credentials for programs: a token of each role, and an API key in each state. */
export function Credentials() {
  const session = useSession();
  const accounts = useLive<{ readonly records: readonly { readonly id?: unknown; readonly name?: unknown }[] }>(
    (control) => control.GET("/_control/v1/records/{collection}", { params: { path: { collection: "accounts" } } }),
    ({ type, collection }) => type === "record.changed" && collection === "accounts",
  );
  const account = useSignal("");
  const lifetime = useSignal("");
  const options = (accounts.data?.records ?? []).map(({ id, name }) => [String(id), String(name ?? id)] as const);
  const accountId = account.value || options[0]?.[0];
  const { createAccessToken, issueKey } = createIssuers(session, accountId, lifetime.value);
  if (accounts.data !== undefined && options.length === 0)
    return (
      <Empty title="There is no account">
        <p>A credential belongs to an account. Add one, and its members, on the screen State.</p>
      </Empty>
    );
  return (
    <>
      <LoadError error={accounts.error} />
      <div class="credential-choices">
        <SelectField
          label="Account"
          value={accountId ?? ""}
          options={options}
          onChange={(id) => (account.value = id)}
        />
        <SelectField
          label="Tokens are valid for"
          value={lifetime.value}
          options={lifetimes}
          hint="On the sandbox's clock"
          onChange={(value) => (lifetime.value = value)}
        />
      </div>
      <CredentialList
        title="Access tokens, one for each role"
        kinds={roles}
        what={(role) => `token of the ${role}`}
        accountId={accountId}
        issue={createAccessToken}
      />
      <CredentialList
        title="API keys, one for each state"
        kinds={keyStates}
        what={(state) => `API key in the state ${state}`}
        accountId={accountId}
        issue={issueKey}
      />
    </>
  );
}

function CredentialList<Kind extends string>({
  title,
  kinds,
  what,
  accountId,
  issue,
}: {
  readonly title: string;
  readonly kinds: readonly (readonly [kind: Kind, purpose: string])[];
  readonly what: (kind: Kind) => string;
  readonly accountId: string | undefined;
  readonly issue: (kind: Kind) => Promise<Issued>;
}) {
  return (
    <Panel title={title}>
      <ul class="credentials">
        {kinds.map(([kind, purpose]) => (
          <IssuedCredential
            key={`${kind} ${accountId}`}
            title={kind}
            what={what(kind)}
            purpose={purpose}
            issue={() => issue(kind)}
          />
        ))}
      </ul>
    </Panel>
  );
}

/** Functions that issue a credential of an account, with the environment of a program that uses it. */
function createIssuers({ source, sandbox, control }: Session, accountId: string | undefined, lifetime: string) {
  const baseUrl = `${source.address}${sandbox.value === "default" ? "" : `/_sandbox/${sandbox.value}`}`;
  const account = accountId !== undefined && { accountId };
  const createAccessToken = async (role: Schema<"Role">): Promise<Issued> => {
    const end =
      lifetime === "expired" ? { expired: true as const } : lifetime === "" ? {} : { expiresInSecs: Number(lifetime) };
    const body = { role, ...account, ...end };
    const {
      accessToken: token,
      expiresAt,
      accountId: own,
    } = dataAs<"Token">(await control.value.POST("/_control/v1/credentials/access-tokens", { body }));
    return {
      text: token,
      expiresAt,
      environment: {
        CALL_TRANSFER_BASE_URL: baseUrl,
        [`CALL_TRANSFER_ACCESS_TOKEN_${role.toUpperCase()}`]: token,
        ...(own !== undefined && { CALL_TRANSFER_ACCOUNT_ID: own }),
      },
    };
  };
  const issueKey = async (state: KeyState): Promise<Issued> => {
    const result = await control.value.POST("/_control/v1/credentials/api-keys", { body: { state, ...account } });
    const { key } = dataAs<"ApiKey">(result);
    return { text: key, environment: { CALL_TRANSFER_BASE_URL: baseUrl, CALL_TRANSFER_API_KEY: key } };
  };
  return { createAccessToken, issueKey };
}
