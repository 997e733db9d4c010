import { useData } from "vitepress";
import { defineComponent, h, onBeforeUnmount, onMounted, ref, watch } from "vue";
import type { MountedPlayground } from "../../playground/mount.ts";

/** The playground, in the colours of the site. Its code is loaded by this page only. */
export const Playground = defineComponent(() => {
  const { isDark } = useData();
  const place = ref<HTMLElement>();
  const colours = () => (isDark.value ? "dark" : "light");
  let mounted: MountedPlayground | undefined;
  let hasLeft = false;
  onMounted(async () => {
    if (import.meta.env.SSR) return;
    const { mountPlayground } = await import("../../playground/mount.ts");
    if (place.value && !hasLeft) mounted = mountPlayground(place.value, colours());
  });
  onBeforeUnmount(() => {
    hasLeft = true;
    mounted?.unmount();
  });
  watch(isDark, () => mounted?.show(colours()));
  return () => h("div", { ref: place, class: "playground-place" });
});
