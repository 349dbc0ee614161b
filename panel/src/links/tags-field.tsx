import { useLingui } from "@lingui/react/macro";
import { TagsInput, type TagsInputProps } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { SEPARATORS } from "../base/targets.ts";
import { tagsQuery } from "./link-queries.ts";

const MOST_TAGS = 16;
const MOST_SHOWN = 50;
/** Characters of several tags, separated by commas. The work for pasted tags grows with the square of their number. */
const MOST_TYPED = 2000;

/** Offers existing tags. */
export function TagsField({ error, onChange, wrapperProps, ...props }: TagsInputProps) {
  const { t } = useLingui();
  const { data: tags = [] } = useQuery(tagsQuery);
  const [isTooLong, setIsTooLong] = useState(false);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <TagsInput
      {...props}
      onChange={(chosen) => {
        setIsTooLong(false);
        onChange?.(chosen);
      }}
      error={isTooLong ? t`The pasted text is too long for tags. A tag has at most 64 characters.` : error}
      wrapperProps={{
        ...wrapperProps,
        onPasteCapture(event) {
          const isLong = event.clipboardData.getData("text/plain").length > MOST_TYPED;
          setIsTooLong(isLong);
          if (!isLong) return;
          event.preventDefault();
          event.stopPropagation();
        },
      }}
      data={tags.map(({ tag }) => tag)}
      limit={MOST_SHOWN}
      // A form that begins with it would open under its tags: they wait for a letter, an arrow or a click.
      openOnFocus={false}
      dropdownOpened={isOpen}
      onDropdownOpen={() => setIsOpen(true)}
      onDropdownClose={() => setIsOpen(false)}
      onSearchChange={(text) => text !== "" && setIsOpen(true)}
      onClick={() => setIsOpen(true)}
      splitChars={SEPARATORS}
      maxTags={MOST_TAGS}
      maxLength={MOST_TYPED}
      acceptValueOnBlur
    />
  );
}
