import { defineComponent, h, onMounted, ref } from "vue";
import { type Language, languages, referenceLanguages, storedAs } from "../languages.ts";

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

const isLanguage = (name: string | undefined): name is Language => name !== undefined && name in referenceLanguages;

/** The switch above code in several languages. One choice holds for all of them; where there is no curl, TypeScript is shown. */
export const LanguageSwitch = defineComponent(
  ({ curl = false }: { readonly curl?: boolean }) => {
    const shown = curl ? referenceLanguages : languages;
    onMounted(() => {
      const { codeLanguage } = document.documentElement.dataset;
      if (isLanguage(codeLanguage)) chosen.value = codeLanguage;
    });
    const isChosen = (language: Language) =>
      chosen.value === language || (language === "typescript" && !(chosen.value in shown));
    const button = ([language, label]: [string, string]) =>
      isLanguage(language) &&
      h("button", { type: "button", "aria-pressed": isChosen(language), onClick: () => choose(language) }, label);
    return () =>
      h("div", { class: "code-switch", role: "group", "aria-label": "Language" }, Object.entries(shown).map(button));
  },
  { props: { curl: Boolean } },
);
