import { Trans, useLingui } from "@lingui/react/macro";
import { Alert, Button, Drawer, Skeleton, Stack } from "@mantine/core";
import { type FormEvent, type ReactNode, Suspense, useEffect, useRef } from "react";
import { useBackCloses } from "../back-closes.ts";
import { useSentence } from "../failure.tsx";
import { FocusBack } from "../focus-back.ts";
import { focusFirstError, hasError } from "./focus-error.ts";
import { FormFoot } from "./form-foot.tsx";
import { submitByKey } from "../keys/submit-key.ts";

type Props = {
  title: string;
  isOpen: boolean;
  onClose(): void;
  /** Whether everything that the form shows is known. */
  isReady?: boolean;
  children: ReactNode;
};

/** A form beside the page. Its content may load when it opens. */
export function SideForm({ title, isOpen, onClose, isReady = true, children }: Props) {
  const { t } = useLingui();
  useBackCloses(isOpen, onClose);
  return (
    <Drawer.Root opened={isOpen} onClose={onClose} position="right" size="md">
      <Drawer.Overlay />
      <Drawer.Content data-side-form style={{ scrollPaddingBlock: "5rem", "--shell-foot": "0px" }}>
        {/* The page has its banner already. */}
        <Drawer.Header role="presentation">
          <Drawer.Title fw={600} lh={1.3} miw={0} style={{ overflowWrap: "anywhere" }}>
            {title}
          </Drawer.Title>
          <Drawer.CloseButton aria-label={t`Close`} />
        </Drawer.Header>
        <Drawer.Body>
          {isOpen && <FocusBack />}
          {isOpen && (
            <Suspense fallback={<Waiting />}>{isReady ? <Begin>{children}</Begin> : <Waiting />}</Suspense>
          )}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

/** Has the focus until the form is there, so that Enter does not close the drawer. */
const Waiting = () => <Skeleton height={280} tabIndex={-1} data-autofocus style={{ outline: "none" }} />;

/** Sets the focus in a form that was loaded after its drawer. Typing replaces what its first field holds. */
function Begin({ children }: { children: ReactNode }) {
  const form = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const first = form.current?.querySelector<HTMLElement>("[data-autofocus]");
    first?.focus();
    if (first instanceof HTMLInputElement && first.type === "text") first.select();
  }, []);
  return <div ref={form}>{children}</div>;
}

type FieldsProps = {
  onSubmit(event: FormEvent<HTMLFormElement>): void;
  onClose(): void;
  error: Error | null;
  isPending: boolean;
  isRefused?: boolean;
  /** Nothing is changed yet, so there is nothing to save. */
  isIdle?: boolean;
  action: string;
  children: ReactNode;
};

/** The fields of a form, their buttons, and what the server says. A refused form shows its first wrong field. */
export function FormFields({
  onSubmit,
  onClose,
  error,
  isPending,
  isRefused,
  isIdle,
  action,
  children,
}: FieldsProps) {
  const sentenceOf = useSentence();
  const alert = useRef<HTMLDivElement>(null);
  const form = useRef<HTMLFormElement>(null);
  /** The form is sent, and not touched since. */
  const isSent = useRef(false);
  // The buttons lie over what is below the window.
  useEffect(() => {
    if (error !== null) alert.current?.scrollIntoView({ block: "nearest" });
  }, [error]);
  useEffect(() => {
    if (!isSent.current || !hasError(form.current)) return;
    isSent.current = false;
    focusFirstError(form);
  });
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        isSent.current = true;
        onSubmit(event);
        // What was wrong before stays so.
        if (hasError(form.current)) focusFirstError(form);
      }}
      onInput={() => (isSent.current = false)}
      onKeyDown={submitByKey}
    >
      <Stack gap="sm">
        {children}
        {error !== null && (
          <Alert
            ref={alert}
            color="red"
            variant="light"
            role="alert"
            style={{ scrollMarginBlock: "calc(5rem + var(--shell-foot, 0px))" }}
          >
            {sentenceOf(error)}
          </Alert>
        )}
        {!isIdle && (
          <FormFoot>
            <Button variant="default" onClick={onClose}>
              <Trans>Cancel</Trans>
            </Button>
            <Button type="submit" loading={isPending} disabled={isRefused ?? false}>
              {action}
            </Button>
          </FormFoot>
        )}
      </Stack>
    </form>
  );
}

/** The server's messages by field. */
export const fieldErrors = (details: readonly { field: string; message: string }[]): Record<string, string> =>
  Object.fromEntries(details.map(({ field, message }) => [field.split(".")[0]!, message]));
