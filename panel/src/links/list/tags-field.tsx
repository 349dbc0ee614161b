import { TagsInput, type TagsInputProps } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { tagsQuery } from "../link-queries.ts";

const MOST_TAGS = 16;
const MOST_SHOWN = 50;

/** Offers existing tags. */
export function TagsField(props: TagsInputProps) {
  const { data: tags = [] } = useQuery(tagsQuery);
  return (
    <TagsInput
      {...props}
      data={tags.map(({ tag }) => tag)}
      limit={MOST_SHOWN}
      maxTags={MOST_TAGS}
      acceptValueOnBlur
    />
  );
}
