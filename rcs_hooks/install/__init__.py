"""Setting the hooks up in the clients' own files, taking them out again, and seeing whether they would run.

`wanted` says what belongs in which file; `merge` puts it into a document and takes it out; `jsonedit` and `tomledit`
change a text and keep the rest of it to the byte; `edit` shows and writes; `doctor` looks.
"""
