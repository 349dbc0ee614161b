import { useLingui } from "@lingui/react/macro";
import { TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError, type IdentityProof } from "../../base/api.ts";
import { useLateResponse } from "../../ui/notices/late-answer.ts";
import { fieldErrors, SideForm } from "../../ui/forms/side-form.tsx";
import { ProofForm } from "../proof/proof-form.tsx";
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
  const [typed, setTyped] = useState(email ?? "");
  const [refusal, setRefusal] = useState<string>();
  const { close, tellIfGone } = useLateResponse(onClose);
  async function save(proof: IdentityProof): Promise<void> {
    const address = typed.trim();
    setRefusal(undefined);
    await setAddress({ ...proof, email: address || null }).catch((error: Error) => {
      tellIfGone(error);
      if (error instanceof ApiError) setRefusal(fieldErrors(error.details)["email"]);
      throw error;
    });
    close();
    notifications.show({
      message: address === "" ? t`The address is removed.` : t`A link is on its way to ${address}.`,
    });
    await queries.invalidateQueries({ queryKey: ["account-mail"] });
  }
  return (
    <ProofForm username={username} action={t`Save`} run={save} onClose={onClose}>
      <TextInput
        type="email"
        label={t`E-mail address`}
        description={t`It counts once you have followed the link that we send there. Empty: no address.`}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        error={refusal}
        autoComplete="email"
        maxLength={254}
        data-autofocus
      />
    </ProofForm>
  );
}
