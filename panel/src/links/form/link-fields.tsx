import { Trans, useLingui } from "@lingui/react/macro";
import { Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import { ApiError, type Link } from "../../base/api.ts";
import { Disclosure } from "../../ui/disclosure.tsx";
import { DraftNotice } from "../../ui/forms/draft-notice.tsx";
import { useLateResponse } from "../../ui/notices/late-answer.ts";
import { copyMade, useMadeLink } from "../../ui/copy/made-link.tsx";
import { FormFields } from "../../ui/forms/side-form.tsx";
import { ChangedElsewhere, changeSeen, createLink, type OnLinkSaved, refreshLinks } from "../link-queries.ts";
import { ChangedNotice } from "./changed-elsewhere.tsx";
import { isAddress, TargetUse } from "../target-use.tsx";
import { CodeField, useAvailability } from "./code-field.tsx";
import { useHasDomains } from "./domains.ts";
import { useSavedNotice } from "../saved-notice.tsx";
import { useFieldTexts } from "./field-texts.ts";
import { focusFirstError } from "./focus-error.ts";
import { useKnownLink } from "./known-link.tsx";
import { LinkField, type LinkFieldProps } from "./link-field.tsx";
import { useLinkDraft } from "./link-draft.ts";
import {
  type LinkFieldName,
  type LinkValues,
  linkErrorsOf,
  linkPatchOf,
  moreFieldsOf,
  newLinkOf,
  valuesOf,
} from "./link-values.ts";
import { useOwners } from "./owners.ts";
import { UtmBuilder } from "./utm-builder.tsx";

type Props = {
  link: Link | null;
  onClose(): void;
  onSaved: OnLinkSaved | undefined;
  onMany: ((text: string) => void) | undefined;
};

/** Creates the link and copies its address, or changes what differs from `link`. */
async function send(values: LinkValues, link: Link | null, seen: Link | null) {
  if (link === null || seen === null) {
    return { ...(await copyMade(createLink(newLinkOf(values)))), change: null };
  }
  const patch = linkPatchOf(values, link);
  return { saved: await changeSeen(seen, patch), isCopied: false, change: { seen, patch } };
}

const ShareUse = ({ link }: { link: Link }) => (
  <Text size="sm" c="dimmed">
    <TargetUse target={link.target} />
  </Text>
);

/** While there is somebody to choose. */
const OwnerPart = ({ children }: { children: ReactNode }) =>
  useOwners("change").length > 1 ? children : null;

export function LinkFields({ link: current, onClose, onSaved, onMany }: Props) {
  // What others change meanwhile must not look like a change of this form.
  const [link] = useState(current);
  const { t } = useLingui();
  const queries = useQueryClient();
  const texts = useFieldTexts();
  const isShare = link !== null && !isAddress(link.target);
  const more = moreFieldsOf(isShare);
  const hasDomains = useHasDomains() || typeof link?.domain === "string";
  const fields = useRef<HTMLDivElement>(null);
  const { values, change, isRestored, discard, forget } = useLinkDraft(link);
  const [errors, setErrors] = useState<Partial<Record<LinkFieldName, string>>>({});
  const standard = valuesOf(null);
  const hasPassword = link !== null && link.password !== null;
  const [isMore, setIsMore] = useState(() =>
    more.some((name) => values[name] !== standard[name] || (name === "password" && hasPassword)),
  );
  const availability = useAvailability(values, link && { code: link.code, domain: link.domain ?? "" });
  const isRenamed = link !== null && values.code.trim() !== link.code;

  const known = useKnownLink(link === null ? values.target : "");
  const tellMade = useMadeLink();
  const tellSaved = useSavedNotice(onSaved);

  const { close, tellIfGone } = useLateResponse(onClose);
  const save = useMutation({
    mutationFn: (seen: Link | null) => send(values, link, seen),
    async onSuccess({ saved, isCopied, change: made }) {
      forget();
      close();
      if (link !== null) onSaved?.(saved, link);
      if (made === null) tellMade(saved, isCopied);
      else tellSaved(saved, made.seen, made.patch);
      await refreshLinks(queries);
    },
    onError(error) {
      tellIfGone(error);
      const found = error instanceof ApiError ? linkErrorsOf(error) : {};
      setErrors(found);
      if (more.some((name) => found[name] !== undefined)) setIsMore(true);
      focusFirstError(fields);
    },
  });

  const set: LinkFieldProps["set"] = (name, value) => {
    setErrors((now) => ({ ...now, [name]: undefined }));
    if (save.isError) save.reset();
    change({ ...values, [name]: value });
  };
  const field = (name: LinkFieldProps["name"]) => (
    <LinkField
      key={name}
      name={name}
      values={values}
      set={set}
      error={errors[name]}
      link={link}
      onMany={link === null ? onMany : undefined}
      said={name === "target" ? known : undefined}
    />
  );
  return (
    <FormFields
      onSubmit={(event) => {
        event.preventDefault();
        if (availability.refusal === null) save.mutate(link);
        else focusFirstError(fields);
      }}
      onClose={onClose}
      error={
        Object.values(errors).some(Boolean) || save.error instanceof ChangedElsewhere ? null : save.error
      }
      isPending={save.isPending}
      action={link === null ? t`Create` : t`Save`}
    >
      <Stack gap="md" ref={fields}>
        {isRestored && <DraftNotice onDiscard={discard} />}
        {isShare ? (
          <ShareUse link={link} />
        ) : (
          <Stack gap={6}>
            {field("target")}
            <UtmBuilder target={values.target} onChange={(target) => set("target", target)} />
          </Stack>
        )}
        {hasDomains && !isShare && field("domain")}
        <Stack gap="xs">
          <CodeField
            label={texts.code.label}
            description={link === null ? texts.code.does : t`The end of the short URL.`}
            value={values.code}
            onChange={(code) => set("code", code)}
            error={errors.code}
            availability={availability}
          />
          {isRenamed && field("keep_old")}
        </Stack>
        {field("title")}
        {field("tags")}
        {field("expires_at")}
        {field("note")}
        {!isShare && <OwnerPart>{field("owner")}</OwnerPart>}
        <Disclosure label={<Trans>More</Trans>} isOpen={isMore} onToggle={() => setIsMore(!isMore)}>
          <Stack gap="md" pt="xs">
            {more.map(field)}
            {hasPassword && field("removes_password")}
          </Stack>
        </Disclosure>
        <ChangedNotice
          error={save.error}
          onMine={save.mutate}
          onTheirs={() => {
            forget();
            onClose();
          }}
        />
      </Stack>
    </FormFields>
  );
}
