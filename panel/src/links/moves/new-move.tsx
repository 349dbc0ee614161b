import { Trans, useLingui } from "@lingui/react/macro";
import {
  Button,
  Code,
  FileInput,
  Group,
  PasswordInput,
  Progress,
  Select,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { IconUpload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { FailureAlert } from "../../ui/failure-alert.tsx";
import { useNamed } from "../../ui/forms/named.ts";
import { useNoStrayDrops } from "../../ui/stray-drops.ts";
import { useProducts } from "./move-products.ts";
import { sendMove } from "./move-queries.ts";

const MOST_TEXT = 2_000;

/** What is moved from where. The preview and its choices come next. */
export function NewMove() {
  const { t } = useLingui();
  const named = useNamed();
  const products = useProducts();
  const navigate = useNavigate();
  useNoStrayDrops();
  const [name, setName] = useState("yourls");
  const [file, setFile] = useState<File | null>(null);
  const [source, setSource] = useState("");
  const [key, setKey] = useState("");
  const [sent, setSent] = useState(0);
  const product = products[name]!;
  const { address, command } = product;
  const send = useMutation({
    mutationFn: () =>
      file === null
        ? sendMove({ product: name, visits: "true", source: source.trim(), key: key.trim() }, null, setSent)
        : sendMove({ product: name, visits: "true" }, file, setSent),
    onSuccess: ({ id }) => navigate({ to: "/links/moves/$id", params: { id: String(id) } }),
  });
  const isReady = file !== null || (address !== null && source.trim() !== "" && key.trim() !== "");
  const choose = (chosen: string | null): void => {
    setName(chosen ?? name);
    setFile(null);
    send.reset();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !send.isPending) send.mutate();
      }}
    >
      <Stack gap="md" maw={520}>
        <Select
          label={t({ message: "From", context: "service" })}
          value={name}
          onChange={choose}
          allowDeselect={false}
          data={Object.entries(products).map(([value, { title }]) => ({ value, label: title }))}
        />
        {command !== undefined ? (
          <Text component="div">
            <Trans>
              {product.title} keeps files in a folder, which the panel can't read. Copy its data folder to
              this server, and type there:
            </Trans>
            <Code block mt="xs">
              {command}
            </Code>
          </Text>
        ) : (
          <>
            {address !== null && file === null && (
              <>
                <TextInput
                  label={t`Address`}
                  type="url"
                  placeholder={address.example}
                  value={source}
                  maxLength={MOST_TEXT}
                  onChange={({ currentTarget }) => setSource(currentTarget.value)}
                />
                <PasswordInput
                  label={t`Key`}
                  description={address.key}
                  autoComplete="off"
                  value={key}
                  maxLength={MOST_TEXT}
                  onChange={({ currentTarget }) => setKey(currentTarget.value)}
                />
              </>
            )}
            {product.file !== null && (
              <FileInput
                label={t`File`}
                aria-label={named(t`File`, file?.name ?? t`Choose a file`)}
                description={product.file}
                placeholder={t`Choose a file`}
                leftSection={<IconUpload size={16} aria-hidden />}
                value={file}
                onChange={(chosen) => {
                  setFile(chosen);
                  send.reset();
                }}
                clearable
                clearButtonProps={{ "aria-label": t`Remove the file` }}
              />
            )}
          </>
        )}
        {send.isPending && file !== null && (
          <Progress.Root size="lg">
            <Progress.Section value={sent * 100} aria-label={t`Sending the file`} />
          </Progress.Root>
        )}
        {send.isError && <FailureAlert error={send.error} />}
        {command === undefined && (
          <Group>
            <Button type="submit" disabled={!isReady} loading={send.isPending}>
              <Trans>Preview</Trans>
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}
