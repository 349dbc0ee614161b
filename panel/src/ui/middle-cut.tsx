type Props = {
  text: string;
  /** Characters of its end that stay. A text of less than 2.5 times as many loses its end, if anything. */
  tail?: number;
};

/** A text on one line. What lacks room goes from its middle: its end tells more. */
export const MiddleCut = ({ text, tail = 22 }: Props) => {
  const isLong = text.length > 2.5 * tail;
  return (
    <>
      <span className="cut-head">{isLong ? text.slice(0, -tail) : text}</span>
      {isLong && <span className="cut-tail">{text.slice(-tail)}</span>}
    </>
  );
};
