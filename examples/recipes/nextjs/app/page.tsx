"use client";

import { useActionState } from "react";
import { placeCall } from "./actions";

/** A form that places a call. It also works before the page's scripts have loaded, and without them. */
export default function Page() {
  const [message, action, isPending] = useActionState(placeCall, "");
  return (
    <form action={action}>
      <label>
        Number <input name="toNumber" type="tel" required />
      </label>
      {/* A second click would place a second call. */}
      <button type="submit" disabled={isPending}>
        Call
      </button>
      <output>{message}</output>
    </form>
  );
}
