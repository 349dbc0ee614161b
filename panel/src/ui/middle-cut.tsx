/** Fewer characters lose their end, if anything. */
const LONG = 56;
const TAIL = 22;

/** A text on one line. What lacks room goes from its middle: its end tells more. */
export const MiddleCut = ({ text }: { text: string }) => (
  <>
    <span className="cut-head">{text.length > LONG ? text.slice(0, -TAIL) : text}</span>
    {text.length > LONG && <span className="cut-tail">{text.slice(-TAIL)}</span>}
  </>
);
