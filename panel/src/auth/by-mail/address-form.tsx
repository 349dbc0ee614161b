import { useLingui } from "@lingui/react/macro";
import { PasswordInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ApiError } from "../../base/api.ts";
import { useLateAnswer } from "../../ui/notices/late-answer.ts";
import { fieldErrors, FormFields, SideForm } from "../../ui/forms/side-form.tsx";
import { setAddress } from "./contact-queries.ts";

type Props = { username: string; email: string | null; isOpen: boolean; onClose(): void };

export function AddressForm({ isOpen, onClose, ...fields }: Props) {
  const { t } = useLingui();
  return (
    <SideForm title={t`Your address`} isOpen={isOpen} onClose={onClose}>
      <Fields {...fields} onClose={onClose} />
    </SideForm>
  );
}

function Fields({ username, email, onClose }: Omit<Props, "isOpen">) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const form = useForm({ initialValues: { email: email ?? "", password: "" } });
  const { close, tellIfGone } = useLateAnswer(onClose);
  const save = useMutation({
    mutationFn: (values: typeof form.values) => setAddress({ ...values, email: values.email.trim() || null }),
    async onSuccess(_, values) {
      close();
      const message =
        values.email === "" ? t`The address is removed.` : t`A link is on its way to ${values.email}.`;
      notifications.show({ message });
      await queries.invalidateQueries({ queryKey: ["account-mail"] });
    },
    onError(error) {
      tellIfGone(error);
      if (error instanceof ApiError) form.setErrors(fieldErrors(error.details));
    },
  });
  return (
    <FormFields
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
      error={save.error}
      isPending={save.isPending}
      action={t`Save`}
    >
      <TextInput
        {...form.getInputProps("email")}
        type="email"
        label={t`E-mail address`}
        description={t`It counts once you have followed the link that we send there. Empty: no address.`}
        autoComplete="email"
        maxLength={254}
        data-autofocus
      />
      <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
      <PasswordInput
        {...form.getInputProps("password")}
        label={t`Password`}
        autoComplete="current-password"
        required
        withAsterisk={false}
      />
    </FormFields>
  );
}
