import { options, type VNode } from "preact";

/** Characters that change the direction of what follows: data with one could make the page say what it does not. */
const controls = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/** A text in which such characters are written out, such as `\u202E`. */
export const visibleText = (text: string): string =>
  text.replace(controls, (character) => `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`);

/** Attributes that are shown or read out. Values of inputs are left alone, because they are sent. */
const shownAttributes = ["title", "aria-label", "label", "placeholder"];
let isOn = false;

/** Writes these characters out wherever Preact draws a text, so that no screen can forget it. */
export function writeOutControls(): void {
  if (isOn) return;
  isOn = true;
  const before = options.vnode;
  options.vnode = (vnode) => {
    writeOutIn(vnode);
    before?.(vnode);
  };
}

function writeOutIn({ props }: VNode<Record<string, unknown>>): void {
  if (props === null) return;
  const { children } = props;
  if (Array.isArray(children)) props.children = children.map(visibleChild);
  else if (typeof children === "string") props.children = visibleText(children);
  for (const name of shownAttributes) {
    const value = props[name];
    if (typeof value === "string") props[name] = visibleText(value);
  }
}

const visibleChild = (child: unknown): unknown => (typeof child === "string" ? visibleText(child) : child);
