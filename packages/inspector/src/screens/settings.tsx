import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import type { KeyState, Policy, Role } from "../data/control.ts";
import { messageIn } from "../data/format.ts";
import { useLive } from "../data/live.ts";
import { addressOf, useSession } from "../data/session.ts";
import { Button, CopyButton, Dialog, Filter, Menu } from "../parts/controls.tsx";
import { LoadError } from "../parts/screen.tsx";

/** API keys by state, and what a request with one gets. */
const keys: readonly (readonly [state: KeyState, name: string, purpose: string])[] = [
  ["valid", "API key", "every scope, no expiry"],
  ["expired", "Expired API key", "401 api_key_expired"],
  ["revoked", "Revoked API key", "401 api_key_revoked"],
  ["ip_restricted", "API key of another address", "403 api_key_ip_restricted"],
  ["insufficient_scope", "API key without scopes", "403 api_key_insufficient_scope"],
];

/** Access tokens by role, and what a request with one may do. */
const tokens: readonly (readonly [role: Role, name: string, purpose: string])[] = [
  ["owner", "Token of the owner", "everything in the account"],
  ["admin", "Token of the admin", "what an owner may"],
  ["member", "Token of a member", "reads, and its own hours; 403 for the rest"],
  ["agent", "Token of an agent", "what a member may"],
];

/** Credentials that work, and credentials that fail in each way. Each is issued when it is copied. */
export function CredentialsMenu() {
  const session = useSession();
  const control = session.control.value;
  const key = (state: KeyState) => async () => control.createApiKey(state);
  const token = (role: Role, expired: boolean) => async () =>
    (await control.createAccessToken({ role, ...(expired && { expired: true }) })).accessToken;
  const lines = (name: string, load: () => Promise<string>) => async () =>
    `CALL_TRANSFER_BASE_URL=${addressOf(session, "")}\n${name}=${await load()}\n`;
  const row = (name: string, purpose: string, variable: string, load: () => Promise<string>) => (
    <li key={name}>
      <span>
        <strong>{name}</strong> <span class="muted">{purpose}</span>
      </span>
      <CopyButton label={`Copy: ${name}`} text={load}>
        Copy
      </CopyButton>
      <CopyButton label={`Copy as .env: ${name}`} text={lines(variable, load)}>
        .env
      </CopyButton>
    </li>
  );
  const tokenVariable = (role: Role) => `CALL_TRANSFER_ACCESS_TOKEN_${role.toUpperCase()}`;
  return (
    <Menu label="Get credentials" icon="credentials" text={<span class="wide-only">Get credentials</span>} isWide>
      {() => (
        <>
          <ul class="plain-list credentials">
            {keys.map(([state, name, purpose]) => row(name, purpose, "CALL_TRANSFER_API_KEY", key(state)))}
            {tokens.map(([role, name, purpose]) => row(name, purpose, tokenVariable(role), token(role, false)))}
            {row("Expired token", "401 token_expired", tokenVariable("owner"), token("owner", true))}
          </ul>
          <p class="muted">The variables are those that --write-env writes. A token needs the header X-Account-Id.</p>
        </>
      )}
    </Menu>
  );
}

const assumptions = "https://github.com/call-transfer/call-transfer/blob/main/docs/assumptions.md";

/** The policies: decisions that the specification leaves open, each with its assumption. */
export function Policies({ close }: { readonly close: () => void }) {
  const filter = useSignal("");
  const live = useLive(
    (control) => control.policies(),
    ({ type }) => type === "policies.changed" || type === "scenario.applied",
  );
  const words = filter.value.toLowerCase();
  const shown = (live.data ?? []).filter(({ name, description, assumption }) =>
    `${name} ${description} ${assumption}`.toLowerCase().includes(words),
  );
  const sorted = [...shown.filter(isChanged), ...shown.filter((policy) => !isChanged(policy))];
  return (
    <Dialog title="Policies" close={close} isWide>
      <LoadError error={live.error} />
      <p>The specification does not say how a platform decides these. Set them to what yours does.</p>
      <Filter value={filter.value} onChange={(text) => (filter.value = text)} placeholder="Name or words" />
      <table class="policies">
        <thead>
          <tr>
            <th scope="col">Policy</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          {sorted.map((policy) => (
            <PolicyRow key={policy.name} policy={policy} />
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}

const isChanged = (policy: Policy): boolean => JSON.stringify(policy.value) !== JSON.stringify(policy.default);

function PolicyRow({ policy }: { readonly policy: Policy }) {
  const { control } = useSession();
  const error = useSignal<string | undefined>(undefined);
  const save = async (value: unknown) => {
    try {
      await control.value.setPolicy(policy.name, value);
      error.value = undefined;
      return true;
    } catch (reason) {
      error.value = messageIn(reason);
      return false;
    }
  };
  return (
    <tr>
      <th scope="row">
        <code>{policy.name}</code>
        <p class="muted">
          {policy.description.replaceAll("`", "")}{" "}
          <a href={`${assumptions}#${policy.assumption.toLowerCase()}`} target="_blank" rel="noreferrer">
            {policy.assumption}
          </a>
        </p>
      </th>
      <td>
        <PolicyValue policy={policy} error={error.value} save={save} />
        {isChanged(policy) && (
          <Button
            label={`Reset ${policy.name} to ${JSON.stringify(policy.default)}`}
            onPress={() => save(policy.default)}
          >
            Default: {JSON.stringify(policy.default)}
          </Button>
        )}
      </td>
    </tr>
  );
}

/** The value of a policy in an input of its type. Text is saved on Enter and when the user leaves the input. */
function PolicyValue({
  policy: { name, value, choices, unit },
  error,
  save,
}: {
  readonly policy: Policy;
  readonly error: string | undefined;
  readonly save: (value: unknown) => Promise<boolean>;
}) {
  const id = useId();
  const typed = useSignal<string | undefined>(undefined);
  const common = { "aria-label": name, "aria-describedby": id, "aria-invalid": error !== undefined };
  const submit = async () => {
    // A value that was refused stays, so that it can be corrected.
    if (typed.value !== undefined && (await save(typedValue(typed.value)))) typed.value = undefined;
  };
  return (
    <>
      {typeof value === "boolean" ? (
        <input {...common} type="checkbox" checked={value} onChange={(event) => save(event.currentTarget.checked)} />
      ) : choices !== undefined ? (
        <select {...common} value={String(value)} onChange={(event) => save(event.currentTarget.value)}>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : (
        <input
          {...common}
          type="text"
          size={14}
          spellcheck={false}
          value={typed.value ?? (typeof value === "string" ? value : JSON.stringify(value))}
          onInput={(event) => (typed.value = event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Enter" && void submit()}
          onBlur={submit}
        />
      )}
      {unit !== undefined && " s"}
      <p id={id} class="field-error" role="alert" dir="auto">
        {error}
      </p>
    </>
  );
}

/** A value that was typed: JSON where it reads as JSON, and a text as it is, so that the server checks it. */
function typedValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text.trim();
  }
}
