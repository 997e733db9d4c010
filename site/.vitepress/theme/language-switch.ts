import { defineComponent, h, onMounted, ref } from "vue";
import { type Language, languages, storedAs } from "../languages.ts";

const chosen = ref<Language>("typescript");

/** Shows all code of the site in a language, now and at the next visit. */
function choose(language: Language): void {
  chosen.value = language;
  document.documentElement.dataset.codeLanguage = language;
  try {
    localStorage.setItem(storedAs, language);
  } catch {
    // A browser that stores nothing forgets the choice.
  }
}

/** The switch above code that is there in both languages. One choice holds for all of them. */
export const LanguageSwitch = defineComponent(() => {
  onMounted(() => {
    if (document.documentElement.dataset.codeLanguage === "python") chosen.value = "python";
  });
  const button = ([language, label]: [string, string]) =>
    h(
      "button",
      {
        type: "button",
        "aria-pressed": chosen.value === language,
        onClick: () => choose(language as Language),
      },
      label,
    );
  return () =>
    h("div", { class: "code-switch", role: "group", "aria-label": "Language" }, Object.entries(languages).map(button));
});
