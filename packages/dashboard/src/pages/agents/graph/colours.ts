/** The tokens of the theme, as a canvas wants them. */
export type MapColours = {
  background: string;
  line: string;
  text: string;
  second: string;
  third: string;
  accent: string;
  read: string;
  wrote: string;
  good: string;
  bad: string;
  font: string;
  fontAgent: string;
  fontStrong: string;
};

export function coloursOf(element: HTMLElement): MapColours {
  const style = getComputedStyle(element);
  const token = (name: string) => style.getPropertyValue(name).trim();
  const font = token('--font');
  return {
    background: token('--bg'),
    line: token('--line-strong'),
    text: token('--fg'),
    second: token('--fg-2'),
    third: token('--fg-3'),
    accent: token('--accent'),
    read: token('--s-read'),
    wrote: token('--s-write'),
    good: token('--good'),
    bad: token('--bad'),
    font: `${token('--t-xs')} ${font}`,
    fontAgent: `${token('--t-s')} ${font}`,
    fontStrong: `${token('--w-b')} ${token('--t-s')} ${font}`,
  };
}
