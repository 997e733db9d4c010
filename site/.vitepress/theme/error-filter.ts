import { defineComponent, h, ref } from "vue";

/** Shows only the rows of codes that contain each of the words, and the groups of these. Returns how many there are. */
function filter(text: string): number {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const table of document.querySelectorAll<HTMLTableElement>(".vp-doc table")) {
    const rows = [...(table.tBodies[0]?.rows ?? [])];
    // The table by status repeats the codes of the others.
    const isRepetition = table.querySelectorAll("th").length < 3;
    for (const row of rows) {
      const content = row.textContent.toLowerCase();
      row.hidden = words.length > 0 && (isRepetition || !words.every((word) => content.includes(word)));
    }
    const left = rows.filter((row) => !row.hidden).length;
    if (!isRepetition) shown += left;
    table.hidden = left === 0;
    const heading = table.previousElementSibling;
    if (heading instanceof HTMLHeadingElement) heading.hidden = table.hidden;
  }
  return shown;
}

/** A field that filters the list of error codes by text or status. */
export const ErrorFilter = defineComponent(() => {
  const found = ref("");
  const onInput = ({ target }: Event): void => {
    const { value } = target as HTMLInputElement;
    const count = filter(value);
    found.value = value.trim() === "" ? "" : `${count} ${count === 1 ? "code" : "codes"}`;
  };
  return () =>
    h("p", { class: "error-filter" }, [
      h("label", { for: "error-filter" }, "Filter by text or status"),
      h("input", { id: "error-filter", type: "search", autocomplete: "off", placeholder: "409 offer", onInput }),
      h("output", { for: "error-filter" }, found.value),
    ]);
});
