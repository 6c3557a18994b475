/** An error that becomes a refusal in the process that waits for the answer. */
export const refusal = (reason, message) => Object.assign(new Error(message), { reason });

/** Counts characters and refuses too many. */
export function charCounter(most) {
  let chars = 0;
  return (text) => {
    chars += text.length;
    if (chars > most) throw refusal('too_much_text', `the text is longer than ${most} characters`);
    return text;
  };
}
