import { Trans, useLingui } from "@lingui/react/macro";
import { Kbd, Loader, Text, UnstyledButton } from "@mantine/core";
import { useDisclosure, useHotkeys, useWindowEvent } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { Suspense, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import type { Account } from "../base/api.ts";
import { soonPart } from "../base/lazy.ts";
import type { usePages } from "../base/pages.ts";
import { useBackCloses } from "../ui/back-closes.ts";
import { keySigns } from "../ui/keys/shortcuts.ts";
import { CommandField } from "./command-field.tsx";
import classes from "./commands.module.css";
import { compositionEnded } from "./composition.ts";
import { takeEarlyTyping } from "./early-typing.ts";

const load = () => import("./command-window.tsx");
const CommandWindow = soonPart(async () => {
  const { CommandWindow: Window } = await load();
  await compositionEnded();
  return Window;
});

const IS_APPLE = /Mac|iPhone|iPad/.test(navigator.platform);

type Props = { pages: ReturnType<typeof usePages>; account: Account };

/** Opens the commands, also by ⌘K or Ctrl+K from anywhere, fields included. */
export function CommandButton({ pages, account }: Props) {
  const [isOpen, { toggle, open, close }] = useDisclosure(false, { onClose: () => setTyped("") });
  const [typed, setTyped] = useState("");
  useBackCloses(isOpen, close);
  const button = useRef<HTMLButtonElement>(null);
  useHotkeys([["mod+K", toggle]], [], true);
  useLayoutEffect(() => {
    const early = takeEarlyTyping();
    if (early === null) return;
    setTyped(early);
    open();
  }, []);
  return (
    <>
      <UnstyledButton
        ref={button}
        className={classes["button"]}
        onClick={open}
        onPointerEnter={() => void load().catch(() => {})}
        aria-keyshortcuts={IS_APPLE ? "Meta+K" : "Control+K"}
      >
        <IconSearch size={16} aria-hidden />
        <Text span size="sm" className={classes["label"]}>
          <Trans>Search or run a command…</Trans>
        </Text>
        <Kbd size="xs" visibleFrom="sm" aria-hidden>
          {keySigns("Mod+K").join(IS_APPLE ? "" : " ")}
        </Kbd>
      </UnstyledButton>
      {isOpen && (
        <Suspense fallback={<Opening typed={typed} onType={setTyped} onClose={close} />}>
          <CommandWindow
            pages={pages}
            account={account}
            typed={typed}
            onType={setTyped}
            onClose={close}
            opener={button}
          />
        </Suspense>
      )}
    </>
  );
}

type OpeningProps = { typed: string; onType(text: string): void; onClose(): void };

/** In the place of the commands, until they are there. */
function Opening({ typed, onType, onClose }: OpeningProps) {
  const { t } = useLingui();
  useWindowEvent("keydown", ({ key }) => void (key === "Escape" && onClose()));
  // Outside the page's element, whose focus comes back.
  return createPortal(
    <div role="dialog" aria-label={t`Commands`} className={classes["opening"]}>
      <CommandField typed={typed} onType={onType} />
      <Loader m="md" size="sm" />
    </div>,
    document.body,
  );
}
