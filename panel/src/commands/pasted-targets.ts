/** URLs pasted anywhere. */
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useRef } from "react";
import { hasTargets, targetIn } from "../base/targets.ts";
import { isTyping } from "../ui/is-typing.ts";
import { useShorten } from "../ui/copy/shorten.ts";

/** Pasting a URL outside of fields and dialogs makes a link of it; several open a table of new links. */
export function usePastedTargets(isEnabled: boolean): void {
  const shorten = useShorten();
  const navigate = useNavigate();
  const going = useRef(new Set<string>());
  const onPaste = useEffectEvent((event: ClipboardEvent) => {
    if (!isEnabled || event.defaultPrevented || isTyping(event.target)) return;
    const pasted = event.clipboardData?.getData("text/plain") ?? "";
    if (hasTargets(pasted)) {
      event.preventDefault();
      void navigate({ to: "/links", state: { requested: "new-links", pasted } });
      return;
    }
    const target = targetIn(pasted);
    if (target === null) return;
    event.preventDefault();
    if (going.current.has(target)) return;
    going.current.add(target);
    void shorten(target).finally(() => going.current.delete(target));
  });
  /** Held down, the keys would create link after link. */
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const isPasting = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "v";
    if (isPasting && event.repeat && !isTyping(event.target)) event.preventDefault();
  });
  useEffect(() => {
    document.addEventListener("paste", onPaste);
    document.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("paste", onPaste);
      document.removeEventListener("keydown", onKey);
    };
  }, []);
}
