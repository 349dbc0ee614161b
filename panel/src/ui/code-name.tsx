type Props = { code: string; domain?: string | null | undefined; wraps?: boolean };

/**
 * A code, and small behind it the host if it is not the default one. Where room is short, the host gives
 * way first, or both wrap.
 */
export const CodeName = ({ code, domain = null, wraps }: Props) => (
  <span className="code-name" data-wraps={wraps}>
    <bdi>{code}</bdi>
    {domain !== null && (
      <>
        {" "}
        <small>{domain}</small>
      </>
    )}
  </span>
);
