import { useSignal } from "@preact/signals";
import { useSession } from "../../data/session/context.ts";
import { messageIn, timeOfDay } from "../../data/values/format.ts";
import { Button, CopyButton } from "../../parts/button.tsx";
import { Relative, Secret, Status } from "../../parts/data.tsx";

/** A credential that the server issued. */
export interface Issued {
  readonly text: string;
  /** When it ends, on the sandbox's clock; undefined if it has no end. */
  readonly expiresAt?: string;
  /** The environment of a program that uses it. */
  readonly environment: Readonly<Record<string, string>>;
}

/** One kind of credential: what it is good for, and the latest one that was issued. It is shown only when asked for. */
export function IssuedCredential({
  title,
  what,
  purpose,
  issue,
}: {
  readonly title: string;
  /** What it is called in the names of the buttons. */
  readonly what: string;
  readonly purpose: string;
  /** Throws an Error with the server's message. */
  readonly issue: () => Promise<Issued>;
}) {
  const issued = useSignal<Issued | undefined>(undefined);
  const error = useSignal<string | undefined>(undefined);
  const create = async () => {
    try {
      issued.value = await issue();
      error.value = undefined;
    } catch (reason) {
      error.value = messageIn(reason);
    }
  };
  const current = issued.value;
  return (
    <li class="credential">
      <div class="credential-head">
        <strong>{title}</strong>
        {current !== undefined && <Validity expiresAt={current.expiresAt} />}
      </div>
      <p class="credential-purpose">{purpose}</p>
      <div class="actions">
        {current !== undefined && (
          <>
            <Secret name={what} load={() => current.text} key={current.text} />
            <CopyButton text={() => current.text}>
              Copy<span class="visually-hidden"> the {what}</span>
            </CopyButton>
            <CopyButton text={() => environmentText(current.environment)}>
              Copy as environment<span class="visually-hidden"> with the {what}</span>
            </CopyButton>
          </>
        )}
        <Button label={`Create ${current === undefined ? "a" : "another"} ${what}`} onPress={create}>
          {current === undefined ? "Create" : "Create another"}
        </Button>
      </div>
      {error.value !== undefined && (
        <p class="field-error" role="alert" dir="auto">
          {error.value}
        </p>
      )}
    </li>
  );
}

function Validity({ expiresAt }: { readonly expiresAt: string | undefined }) {
  const now = useSession().clock.now.value;
  if (expiresAt === undefined) return <Status tone="idle">created</Status>;
  const isOver = Date.parse(expiresAt) <= now;
  return (
    <Status tone={isOver ? "bad" : "ok"}>
      {isOver ? "expired" : "valid until"} {timeOfDay(expiresAt)}, <Relative at={expiresAt} />
    </Status>
  );
}

/** Lines for a shell or a `.env` file. */
function environmentText(environment: Readonly<Record<string, string>>): string {
  return Object.entries(environment)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
}
