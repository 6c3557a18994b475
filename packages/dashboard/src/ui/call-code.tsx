import { useEffect, useState } from 'react';
import type { CopiedCall } from '../data/copy-as.ts';
import { Code } from './code.tsx';

/** A call as a command that works as it is copied: what fills an empty page. */
export function CallCode({ label, call }: { label: string; call: CopiedCall }) {
  const [text, setText] = useState('');
  const given = JSON.stringify(call);
  useEffect(() => {
    let isOver = false;
    void import('../data/copy-as.ts').then(async ({ asCurl }) => {
      const command = await asCurl(JSON.parse(given));
      if (!isOver) setText(command);
    });
    return () => {
      isOver = true;
    };
  }, [given]);
  return text === '' ? null : <Code label={label} text={text} copy />;
}
