"""{'inside': {'text': ('in_dropline', 0)}}"""
import sys, os
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import junk
junk.main(69)
