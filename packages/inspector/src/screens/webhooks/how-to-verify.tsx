import { useSignal } from "@preact/signals";
import { verifyByHand, verifyWithSdk } from "../../data/code/verify-code.ts";
import { CopyButton } from "../../parts/button.tsx";
import { Json } from "../../parts/data.tsx";

const ways = { sdk: "With the SDK", hand: "By hand" } as const;

/** Code that verifies a webhook. */
export function HowToVerify() {
  const way = useSignal<keyof typeof ways>("sdk");
  const code = way.value === "sdk" ? verifyWithSdk : verifyByHand;
  return (
    <>
      <div class="choices" role="radiogroup" aria-label="Way to verify">
        {Object.entries(ways).map(([id, title]) => (
          <label key={id}>
            <input
              type="radio"
              name="way-to-verify"
              checked={way.value === id}
              onChange={() => (way.value = id === "sdk" ? "sdk" : "hand")}
            />{" "}
            {title}
          </label>
        ))}
        <CopyButton text={() => code}>Copy</CopyButton>
      </div>
      <Json value={code} label="Code" />
    </>
  );
}
