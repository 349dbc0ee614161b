/** What made the files of a release, as an in-toto statement with the SLSA predicate. It has no time and no host. */
type Release = {
  subjects: { name: string; digest: { sha256: string } }[];
  version: string;
  commit: string;
  /** SHA-256 of package-lock.json, which pins every package. */
  lockFile: string;
  runtimes: { name: string; version: string; integrity: string }[];
  builder: string;
};

const hexOf = (integrity: string): string =>
  Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex");

export function writeProvenance({ subjects, version, commit, lockFile, runtimes, builder }: Release): string {
  const statement = {
    _type: "https://in-toto.io/Statement/v1",
    subject: subjects,
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "urn:waymark:build:npm-run-release",
        externalParameters: { version, commit },
        resolvedDependencies: [
          { name: "waymark", digest: { gitCommit: commit } },
          { name: "package-lock.json", digest: { sha256: lockFile } },
          ...runtimes.map(({ name, version: of, integrity }) => ({
            uri: `pkg:npm/${name.replace("@", "%40")}@${of}`,
            digest: { sha512: hexOf(integrity) },
          })),
        ],
      },
      runDetails: { builder: { id: builder } },
    },
  };
  return `${JSON.stringify(statement, null, 2)}\n`;
}
