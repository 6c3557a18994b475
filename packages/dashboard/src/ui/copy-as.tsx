import { useState } from 'react';
import type { CopiedCall } from '../data/copy-as.ts';
import { ui } from '../texts/ui.ts';
import { copyText } from './copy-button.tsx';
import { Menu, type MenuItem } from './menu.tsx';
import { showToast } from './toast.tsx';

async function copy(make: (calls: typeof import('../data/copy-as.ts')) => string | Promise<string>) {
  await copyText(await make(await import('../data/copy-as.ts')));
  showToast(ui.copied);
}

type CopyAsProps = {
  call: CopiedCall;
  /** What the page asked besides. */
  more?: readonly CopiedCall[];
  /** On a phone an icon without a word, where the line has no room for one. */
  short?: boolean;
};

/** What the page asked the service, as calls that work elsewhere. */
export function CopyAs({ call, more = [], short = false }: CopyAsProps) {
  const calls = [call, ...more];
  const [isTool, setTool] = useState(true);
  const lookForTool = async () => {
    const { asMcp } = await import('../data/copy-as.ts');
    setTool(calls.every((one) => asMcp(one) !== undefined));
  };
  const items: MenuItem[] = [
    {
      id: 'curl',
      label: ui.copyAsOf.curl,
      onSelect: () => void copy(async ({ asCurl }) => (await Promise.all(calls.map(asCurl))).join('\n')),
    },
    { id: 'sdk', label: ui.copyAsOf.sdk, onSelect: () => void copy(({ asSdk }) => asSdk(calls)) },
    {
      id: 'mcp',
      label: ui.copyAsOf.mcp,
      note: isTool ? undefined : ui.noTool,
      disabled: !isTool,
      onSelect: () => void copy(({ asMcp }) => calls.flatMap((one) => asMcp(one) ?? []).join('\n')),
    },
    { id: 'link', label: ui.copyAsOf.link, icon: 'link', onSelect: () => void copy(() => location.href) },
  ];
  return (
    <Menu label={ui.copyAs} icon="copy" items={items} onOpen={() => void lookForTool()} data-copy-as>
      <span className={short ? 'wide-only' : undefined}>{ui.copyAs}</span>
    </Menu>
  );
}
