import type { NewPolicy, Policy, PolicyUpdate } from "../../base/api.ts";

export type PolicyValues = {
  name: string;
  driver_type: Policy["driver_type"];
  endpoint: string;
  bucket: string;
  region: string;
  access_key: string;
  secret_key: string;
  base_path: string;
  /** Bytes; 0 is unlimited. */
  max_file_size: number;
  download: Policy["download"];
  is_default: boolean;
};

export const policyValuesOf = (policy: Policy | null): PolicyValues => ({
  name: policy?.name ?? "",
  driver_type: policy?.driver_type ?? "local",
  endpoint: policy?.endpoint ?? "",
  bucket: policy?.bucket ?? "",
  region: policy?.region ?? "",
  access_key: "",
  secret_key: "",
  base_path: policy?.base_path ?? "",
  max_file_size: policy?.max_file_size ?? 0,
  download: policy?.download ?? "relay",
  is_default: policy?.is_default ?? false,
});

export function newPolicyOf(values: PolicyValues): NewPolicy {
  const { endpoint, bucket, region, access_key, secret_key, download, ...shared } = values;
  if (values.driver_type === "linked") {
    const { name, driver_type, base_path } = shared;
    return { name, driver_type, base_path };
  }
  if (values.driver_type === "local") return shared;
  return { ...shared, endpoint, bucket, region, access_key, secret_key, download };
}

/** The location of the content can't be changed. An empty key stays. */
export function policyUpdateOf(policy: Policy, values: PolicyValues): PolicyUpdate {
  const { name, max_file_size, download, region, access_key, secret_key, is_default } = values;
  if (policy.driver_type === "linked") return { name };
  return {
    name,
    max_file_size,
    ...(is_default && !policy.is_default && { is_default }),
    ...(policy.driver_type === "s3" && {
      download,
      ...(region !== "" && { region }),
      ...(access_key !== "" && { access_key }),
      ...(secret_key !== "" && { secret_key }),
    }),
  };
}
