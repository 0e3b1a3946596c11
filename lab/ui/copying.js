// Stands before the scripts that copy: a text, which may be still in the making, to the clipboard.  Where the page is
// not served safely (a class on the teacher's machine), browsers offer no clipboard but that of a marked field.
const toClipboard = async (text) => {
  try {
    const blob = Promise.resolve(text).then((told) => new Blob([told], { type: "text/plain" }));
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]); // begun in the click, as Safari asks
  } catch {
    const field = document.createElement("textarea");
    field.value = await text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
};
