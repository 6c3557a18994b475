import { useEffect, useState } from 'react';
import type { CopiedCall } from '../data/copy-as.ts';
import { Code } from './code.tsx';

/** Calls as commands that work as they are copied, one after the other: what fills an empty page. */
export function CallCode({ label, calls }: { label: string; calls: readonly CopiedCall[] }) {
  const [text, setText] = useState('');
  const given = JSON.stringify(calls);
  useEffect(() => {
    let isOver = false;
    void import('../data/copy-as.ts').then(async ({ asCurl }) => {
      const commands = await Promise.all((JSON.parse(given) as CopiedCall[]).map(asCurl));
      if (!isOver) setText(commands.join('\n'));
    });
    return () => {
      isOver = true;
    };
  }, [given]);
  return text === '' ? null : <Code label={label} text={text} copy wrap />;
}
