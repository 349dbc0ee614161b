import { Trans, useLingui } from "@lingui/react/macro";
import { Stack } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ApiError, type Link } from "../../base/api.ts";
import { Disclosure } from "../../ui/disclosure.tsx";
import { DraftNotice } from "../../ui/forms/draft-notice.tsx";
import { useLateResponse } from "../../ui/notices/late-answer.ts";
import { copyMade } from "../../ui/copy/copy.ts";
import { useMadeLink } from "../../ui/copy/made-link.tsx";
import { FormFields } from "../../ui/forms/side-form.tsx";
import { createLink, refreshLinks } from "../link-queries.ts";
import { CodeField, useAvailability } from "./code-field.tsx";
import { useHasDomains } from "./domains.ts";
import { useFieldTexts } from "./field-texts.ts";
import { useKnownLink } from "./known-link.tsx";
import { LinkField, type LinkFieldProps } from "./link-field.tsx";
import { useLinkDraft } from "./link-draft.ts";
import {
  type LinkFieldName,
  type LinkValues,
  linkErrorsOf,
  moreFieldsOf,
  newLinkOf,
  valuesOf,
} from "./link-values.ts";
import { useOwners } from "../../auth/teams/owners.ts";
import classes from "../link.module.css";
import { UtmBuilder } from "./utm-builder.tsx";

type Props = {
  onClose(): void;
  onMade(link: Link): void;
  /** Takes a list of targets that is pasted. */
  onMany(text: string): void;
  /** What the fields make. */
  preview(values: LinkValues): ReactNode;
};

/** While there is somebody to choose. */
const OwnerPart = ({ children }: { children: ReactNode }) =>
  useOwners("change").length > 1 ? children : null;

const MORE = moreFieldsOf(false);

/** The fields of a new link beside their preview. What is typed is kept until the link is made. */
export function LinkFields({ onClose, onMade, onMany, preview }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const texts = useFieldTexts();
  const hasDomains = useHasDomains();
  const { values, change, isRestored, discard, forget } = useLinkDraft(null);
  const [errors, setErrors] = useState<Partial<Record<LinkFieldName, string>>>({});
  const standard = valuesOf(null);
  const [isMore, setIsMore] = useState(() => MORE.some((name) => values[name] !== standard[name]));
  const availability = useAvailability(values, null);
  const known = useKnownLink(values.target);
  const tellMade = useMadeLink();
  const { isThere, tellIfGone } = useLateResponse(onClose);
  const save = useMutation({
    mutationFn: () => copyMade(createLink(newLinkOf(values)), (link) => link.short_url),
    async onSuccess({ saved, isCopied }) {
      forget();
      const isShown = isThere();
      if (isShown) onMade(saved);
      tellMade(saved, isCopied, isShown);
      await refreshLinks(queries);
    },
    onError(error) {
      tellIfGone(error);
      const found = error instanceof ApiError ? linkErrorsOf(error) : {};
      setErrors(found);
      if (MORE.some((name) => found[name] !== undefined)) setIsMore(true);
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
      link={null}
      onMany={onMany}
      said={name === "target" ? known : undefined}
    />
  );
  return (
    <div className={classes["thing"]}>
      <FormFields
        onSubmit={(event) => {
          event.preventDefault();
          if (availability.refusal === null) save.mutate();
        }}
        onClose={onClose}
        error={Object.values(errors).some(Boolean) ? null : save.error}
        isPending={save.isPending}
        action={t`Create link`}
      >
        <Stack gap="md">
          {isRestored && <DraftNotice onDiscard={discard} />}
          <Stack gap={6}>
            {field("target")}
            <UtmBuilder target={values.target} onChange={(target) => set("target", target)} />
          </Stack>
          {hasDomains && field("domain")}
          <CodeField
            label={texts.code.label}
            description={texts.code.does}
            value={values.code}
            onChange={(code) => set("code", code)}
            error={errors.code}
            availability={availability}
          />
          {field("title")}
          {field("tags")}
          {field("expires_at")}
          {field("note")}
          <OwnerPart>{field("owner")}</OwnerPart>
          <Disclosure label={<Trans>More</Trans>} isOpen={isMore} onToggle={() => setIsMore(!isMore)}>
            <Stack gap="md" pt="xs">
              {MORE.map(field)}
            </Stack>
          </Disclosure>
        </Stack>
      </FormFields>
      {preview(values)}
    </div>
  );
}
