import type { MountedInspector } from "@call-transfer/mock-server/inspector";
import { useData } from "vitepress";
import { defineComponent, h, onBeforeUnmount, onMounted, ref, watch } from "vue";

/** The inspector over a backend of the page. Its code is loaded by this page only. */
export const TryApi = defineComponent(() => {
  const { isDark } = useData();
  const element = ref<HTMLElement>();
  let mounted: MountedInspector | undefined;
  let isGone = false;
  let open = (): void => {};
  onMounted(async () => {
    const [{ createBackend }, { mountInspector }] = await Promise.all([
      import("@call-transfer/backend"),
      import("@call-transfer/mock-server/inspector"),
    ]);
    const backend = createBackend({ controlPlane: true });
    open = () => {
      mounted?.unmount();
      if (isGone || !element.value) return;
      const theme = isDark.value ? "dark" : "light";
      mounted = mountInspector(element.value, backend, { baseUrl: "http://localhost", theme });
    };
    open();
  });
  watch(isDark, () => open());
  onBeforeUnmount(() => {
    isGone = true;
    mounted?.unmount();
  });
  return () => h("div", { ref: element, class: "try-api-frame" });
});
