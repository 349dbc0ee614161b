import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { type FormEvent, useRef, useState } from "react";
import { formatList } from "../../base/i18n.ts";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { submitByKey } from "../../ui/keys/submit-key.ts";
import { useHasDomains } from "../form/domains.ts";
import { focusFirstError } from "../../ui/forms/focus-error.ts";
import { LinkField } from "../form/link-field.tsx";
import { type LinkValues, valuesOf } from "../form/link-values.ts";
import { TagsField } from "../tags-field.tsx";
import { NewLinkRows } from "./new-link-rows.tsx";
import type { NewRow } from "./make-links.ts";
import { linksIn, MOST_PASTED, type PastedLink } from "./pasted-links.ts";
import { useMaking } from "./making.tsx";
import classes from "./many.module.css";

type Props = { text: string; onClose(): void };

const MOST_NAMED = 3;

const rowsOf = (links: readonly PastedLink[]): NewRow[] =>
  links.slice(0, MOST_PASTED).map((link, key) => ({ ...link, key, errors: {} }));

/** A table of new links from a pasted list. Rows that fail stay, to be corrected; the others leave it. */
export function NewLinks({ text, onClose }: Props) {
  const { t } = useLingui();
  const form = useRef<HTMLFormElement>(null);
  const [pasted] = useState(() => linksIn(text));
  const [rows, setRows] = useState(() => rowsOf(pasted.links));
  const [shared, setShared] = useState({ domain: "", tags: [] as string[] });
  const hasDomains = useHasDomains();
  const left = pasted.links.length - MOST_PASTED;
  const lost = pasted.left.length;
  const failed = rows.filter(({ errors }) => Object.keys(errors).length > 0).length;

  const { make, done, isPending } = useMaking((rest) => {
    setRows(rest);
    if (rest.length === 0) onClose();
    else focusFirstError(form);
  });

  const change = (key: number, next: Partial<PastedLink>): void =>
    setRows((now) => now.map((row) => (row.key === key ? { ...row, ...next, errors: {} } : row)));

  return (
    <Dialog title={t`New links`} isOpen onClose={onClose} size={1080}>
      <form
        ref={form}
        onKeyDown={submitByKey}
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          if (!isPending) make({ rows, shared });
        }}
      >
        <Stack gap="sm">
          {left > 0 && (
            <Alert color="yellow" variant="light">
              <Trans>
                The table takes {MOST_PASTED} links. The other {left} are left out: paste them afterwards, or
                import them as a file.
              </Trans>
            </Alert>
          )}
          {lost > 0 && (
            <Alert color="yellow" variant="light">
              <Plural
                value={lost}
                one="# line has no address and is left out:"
                other="# lines have no address and are left out:"
              />{" "}
              <bdi style={{ overflowWrap: "anywhere" }}>
                {formatList(pasted.left.slice(0, MOST_NAMED).map((line) => `“${line.slice(0, 80)}”`))}
                {lost > MOST_NAMED && "…"}
              </bdi>
            </Alert>
          )}
          <div className={classes["shared"]}>
            <TagsField
              label={t`Tags for all`}
              value={shared.tags}
              onChange={(tags) => setShared({ ...shared, tags })}
            />
            {hasDomains === true && (
              <LinkField
                name="domain"
                values={{ ...valuesOf(null), domain: shared.domain } satisfies LinkValues}
                set={(_, domain) => setShared({ ...shared, domain: String(domain) })}
                error={null}
                link={null}
              />
            )}
          </div>
          {failed > 0 && (
            <Text size="sm" c="var(--mantine-color-error)" role="alert">
              <Plural
                value={failed}
                one="# link could not be created. Correct it and try again."
                other="# links could not be created. Correct them and try again."
              />
            </Text>
          )}
          <NewLinkRows
            rows={rows}
            onChange={change}
            onRemove={(key) => setRows(rows.filter((row) => row.key !== key))}
          />
          <Group justify="end" gap="xs" className={classes["foot"]!}>
            <Text size="sm" c="dimmed" role="status" mr="auto">
              {isPending && (
                <Trans>
                  {done} of {rows.length} created
                </Trans>
              )}
            </Text>
            <Button variant="default" onClick={onClose}>
              <Trans>Cancel</Trans>
            </Button>
            <Button type="submit" loading={isPending} disabled={rows.length === 0} data-autofocus>
              <Plural value={rows.length} one="Create # link" other="Create # links" />
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
