import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { day, relative, timeOfDay } from "../data/format.ts";
import { useSession } from "../data/session.ts";
import type { Tone } from "../data/transfers.ts";
import { Button } from "./controls.tsx";

/** A status: a colored dot and a text. */
export function Status({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return <span class={`status tone-${tone}`}>{children}</span>;
}

/** The tone of an HTTP status. */
export function toneOfStatus(status: number): Tone {
  return status < 300 ? "ok" : status < 400 ? "info" : status < 500 ? "warn" : "bad";
}

/** A time of the sandbox's clock in UTC, with its day if that is not the one that the head of the page shows. */
export function Time({
  at,
  withMilliseconds = false,
  withDay = false,
}: {
  readonly at: string | number;
  readonly withMilliseconds?: boolean;
  readonly withDay?: boolean;
}) {
  const today = useSession().clock.today.value;
  return (
    <time class="number" dateTime={new Date(at).toISOString()} title={`${day(at)} ${timeOfDay(at, true)} UTC`}>
      {(withDay || day(at) !== today) && `${day(at)} `}
      {timeOfDay(at, withMilliseconds)}
    </time>
  );
}

/** How far a time is from now, on the sandbox's clock. It moves. */
export function Relative({ at }: { readonly at: string | number }) {
  return <span class="number">{relative(at, useSession().clock.now.value)}</span>;
}

/** Names and values. Values that are undefined are left out. */
export function Facts({ facts }: { readonly facts: Readonly<Record<string, ComponentChildren>> }) {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  if (known.length === 0) return null;
  return (
    <dl class="facts">
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd dir="auto">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** An id, a header or another text for machines. */
export function Code({ children }: { readonly children: ComponentChildren }) {
  return (
    <code class="code" dir="auto">
      {children}
    </code>
  );
}

/** The longest text that is drawn, in characters: a longer one would stop the page. */
const longestText = 100_000;

/** A JSON value, or a text as it is. */
export function Json({ value, label = "JSON" }: { readonly value: unknown; readonly label?: string }) {
  const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
  return (
    // A region that scrolls must be reachable by the keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <pre class="json" dir="auto" tabIndex={0} role="region" aria-label={label}>
      {text.length > longestText
        ? `${text.slice(0, longestText)}\n… ${text.length - longestText} more characters`
        : text}
    </pre>
  );
}

/** A secret: hidden until the user asks for it. */
export function Secret({
  name,
  load,
}: {
  /** Its name, such as `API key`. */
  readonly name: string;
  /** The secret, read when it is asked for. */
  readonly load: () => Promise<string | undefined> | string | undefined;
}) {
  const text = useSignal<string | undefined>(undefined);
  const toggle = async () => {
    text.value = text.value === undefined ? await load() : undefined;
  };
  return (
    <span class="actions">
      <code class="code">{text.value ?? "••••••••"}</code>
      <Button label={`${text.value === undefined ? "Show" : "Hide"} the ${name}`} onPress={toggle}>
        {text.value === undefined ? "Show" : "Hide"}
      </Button>
    </span>
  );
}

/** A part that can be closed. */
export function Part({
  title,
  isOpen = false,
  children,
}: {
  readonly title: ComponentChildren;
  readonly isOpen?: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <details class="part" open={isOpen}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}

/** Headers or a query: names and values as they were sent. */
export function Values({ values }: { readonly values: Readonly<Record<string, string>> }) {
  const facts = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, <Code key={name}>{value}</Code>]),
  );
  return <Facts facts={facts} />;
}

const link = /\[([^\]]+)\]\(https:[^)]+\)/g;

/** The first paragraph of a description, in which `code` stands between backticks. */
export function Prose({ text }: { readonly text: string }) {
  return (
    <span dir="auto">
      {(text.split("\n\n")[0] ?? "")
        .replace(link, "$1")
        .split("`")
        .map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))}
    </span>
  );
}
