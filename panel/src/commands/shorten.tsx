/** A URL becomes a link and its short address is copied: pasted anywhere, or typed into the commands. */
import { Trans } from "@lingui/react/macro";
import { Anchor, Button, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useRef } from "react";
import { answerOf, api, type Link } from "../base/api.ts";
import { hasTargets, targetIn } from "../base/targets.ts";
import { copyText } from "../ui/copy.ts";
import { CopyDeed } from "../ui/copy-deed.tsx";
import { useFailureNotice, useUndoOffer } from "../ui/undo.tsx";

/** Makes a link of a target, copies its address, and offers to open it or take it back. */
export function useShorten(): (target: string) => Promise<void> {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const onError = useFailureNotice();
  const offerUndo = useUndoOffer();
  const refresh = () => queries.invalidateQueries({ queryKey: ["links"] });

  return async (target) => {
    const made = answerOf(api.POST("/admin/v1/links", { body: { target } })).then(({ data }) => data);
    const copied = copyText(made.then((link) => link.short_url)).catch(() => false);
    let link: Link;
    try {
      link = await made;
    } catch (error) {
      onError(error as Error);
      return;
    }
    const place = {
      path: { code: link.code },
      ...(link.domain !== null && { query: { domain: link.domain } }),
    };
    const open = () => {
      hide();
      void navigate({
        to: "/link/$",
        params: { _splat: link.code },
        search: link.domain === null ? {} : { domain: link.domain },
      });
    };
    const isCopied = await copied;
    const hide = offerUndo({
      message: (
        <>
          <Text size="sm">{isCopied ? <Trans>Copied.</Trans> : <Trans>The link is ready.</Trans>}</Text>
          <Anchor href={link.short_url} target="_blank" rel="noreferrer">
            {link.short_url}
          </Anchor>
        </>
      ),
      more: (
        <>
          {!isCopied && <CopyDeed address={link.short_url} />}
          <Button size="compact-xs" variant="light" onClick={open}>
            <Trans>Show the link</Trans>
          </Button>
        </>
      ),
      undo: () => answerOf(api.DELETE("/admin/v1/links/{code}", { params: place })),
      refresh,
    });
    await refresh();
  };
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.closest("input, textarea, select, [role=textbox], [role=dialog]") !== null);

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
      void navigate({ to: "/links", state: { asked: "new-links", pasted } });
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
